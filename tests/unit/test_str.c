/* Tests text views and the table of distinct texts. */
#include "writer/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "writer/base/error.h"

static void str_compares_by_code_points(void **state)
{
    (void)state;
    assert_true(tp_str_compare(TP_STR("a"), TP_STR("ab")) < 0);
    assert_true(tp_str_compare(TP_STR("z"), TP_STR("\xc3\xbc")) < 0);
    assert_int_equal(tp_str_compare(TP_STR(""), (struct tp_str){NULL, 0}), 0);
}

static void str_search_can_ignore_case(void **state)
{
    (void)state;
    assert_int_equal(tp_str_find(TP_STR("ncclDevKernel"), "kernel"), -1);
    assert_int_equal(tp_str_find_ignore_case(TP_STR("ncclDevKernel"), "kernel"), 7);
    assert_int_equal(tp_str_find(TP_STR(""), ""), 0);
    assert_int_equal(tp_str_find_ignore_case(TP_STR("ab"), "abc"), -1);
}

static void strings_number_texts_by_first_appearance(void **state)
{
    struct tp_arena arena;
    struct tp_strings strings;
    char text[16];
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_strings_init(&strings, &arena, 0);
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %d", i % 10000);
        assert_int_equal(tp_strings_add(&strings, tp_str_of(text)), i % 10000);
    }
    assert_int_equal(strings.count, 10000);
    assert_int_equal(tp_strings_find(&strings, TP_STR("name 77")), 77);
    assert_int_equal(tp_strings_find(&strings, TP_STR("name")), TP_NO_ID);
    assert_true(tp_strings_contain_byte(&strings, '7'));
    assert_false(tp_strings_contain_byte(&strings, ';'));
    assert_int_equal(tp_strings_get(&strings, TP_NO_ID).len, 0);
    assert_int_equal(tp_strings_add(&strings, (struct tp_str){"a\0b", 3}), 10000);
    assert_int_equal(tp_strings_add(&strings, (struct tp_str){"a\0c", 3}), 10001);
    tp_arena_release(&arena);
}

static void strings_jump_to_the_guard_at_their_limit(void **state)
{
    struct tp_arena arena;
    struct tp_strings strings;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        assert_int_equal(arena.code, TP_ELIMIT);
        tp_arena_release(&arena);
        return;
    }
    tp_strings_init(&strings, &arena, 8);
    tp_strings_add(&strings, TP_STR("12345"));
    tp_strings_add(&strings, TP_STR("67890"));
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(str_compares_by_code_points),
        cmocka_unit_test(str_search_can_ignore_case),
        cmocka_unit_test(strings_number_texts_by_first_appearance),
        cmocka_unit_test(strings_jump_to_the_guard_at_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
