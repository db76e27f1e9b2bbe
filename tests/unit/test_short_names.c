/* Tests that scripts keep their meaning when the page shortens the names of their variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "templates/compact/short_names.h"

struct wanted {
    const char *script, *expected;
    struct tp_arena arena;
};

static int shorten(void *context, struct tp_error *err)
{
    struct wanted *wanted = context;
    (void)err;
    struct tp_str seen = tp_shorten_names(tp_str_of(wanted->script), &wanted->arena);
    assert_string_equal(tp_arena_copy(&wanted->arena, seen.ptr, seen.len), wanted->expected);
    return 0;
}

static void check(const char *script, const char *expected)
{
    struct wanted wanted = {.script = script, .expected = expected};
    struct tp_error err;
    tp_arena_init(&wanted.arena, 0);
    assert_int_equal(tp_arena_run(&wanted.arena, shorten, &wanted, &err), 0);
    tp_arena_release(&wanted.arena);
}

static void variables_get_short_names_by_their_number(void **state)
{
    (void)state;
    check("function sum(first,second){return first+second+second;}", "function c(b,a){return b+a+a;}");
    check("let time=0;const f=(time)=>time;", "let a=0;const b=(a)=>a;");
    check("for(const [key,value]of list)use(...key,value);", "for(const [a,b]of c)d(...a,b);");
}

static void properties_and_keywords_stay(void **state)
{
    (void)state;
    check("one.two.three=two?.four;", "a.two.three=b?.four;");
    check("typeof thing===undefined&&document.body;", "typeof a===undefined&&document.body;");
    check("return{size:size?1:other,go(size){return size;}};", "return{size:a?1:b,go(a){return a;}};");
}

static void short_members_keep_their_names(void **state)
{
    (void)state;
    check("const {width,height:high}=box;f({width,high});", "const {width:b,height:a}=c;d({width:b,high:a});");
    check("g=({left=1,...rest})=>left+rest;", "c=({left:a=1,...b})=>a+b;");
    check("h=()=>{low,high=low;};", "b=()=>{a,c=a;};");
    check("x={[key]:1,document};", "b={[a]:1,document};");
}

static void strings_expressions_and_numbers_stay(void **state)
{
    (void)state;
    check("text=/text[/]text/gi.test(text)+'text'+\"text\"+1e5;", "a=/text[/]text/gi.test(a)+'text'+\"text\"+1e5;");
    check("/*! text */text=all/text/all;", "/*! text */b=a/b/a;");
}

/* The words `do`, `if`, `in` and `of` are keywords, so that no variable gets them. */
static int shorten_many(void *context, struct tp_error *err)
{
    struct tp_arena *arena = context;
    enum { COUNT = 3000, WIDTH = 9 };
    char *script = tp_arena_alloc(arena, COUNT * WIDTH + 1);
    (void)err;
    for (int i = 0; i < COUNT; i++)
        snprintf(script + (size_t)i * WIDTH, WIDTH + 1, "name%04d;", i);
    struct tp_str seen = tp_shorten_names(tp_str_of(script), arena);
    char *text = tp_arena_alloc(arena, seen.len + 2);
    text[0] = ';';
    memcpy(text + 1, seen.ptr, seen.len);
    size_t count = 0;
    for (char *name = text; *name && name[1]; name = strchr(name + 1, ';')) {
        size_t length = strcspn(name + 1, ";") + 2;
        char *wanted = tp_arena_copy(arena, name, length);
        assert_null(strstr(name + 1, wanted));
        count++;
    }
    assert_int_equal(count, COUNT);
    assert_null(strstr(text, ";do;"));
    assert_null(strstr(text, ";of;"));
    assert_non_null(strstr(text, ";dp;"));
    return 0;
}

static void many_names_differ(void **state)
{
    (void)state;
    struct tp_arena arena;
    struct tp_error err;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, shorten_many, &arena, &err), 0);
    tp_arena_release(&arena);
}

static void unsupported_scripts_stay(void **state)
{
    (void)state;
    check("long_name=`${long_name}`;", "long_name=`${long_name}`;");
    check("class Thing{}", "class Thing{}");
    check("thing.class=1;", "a.class=1;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_get_short_names_by_their_number),
        cmocka_unit_test(properties_and_keywords_stay),
        cmocka_unit_test(short_members_keep_their_names),
        cmocka_unit_test(strings_expressions_and_numbers_stay),
        cmocka_unit_test(many_names_differ),
        cmocka_unit_test(unsupported_scripts_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
