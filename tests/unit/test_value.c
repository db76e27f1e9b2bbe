/* Tests compact JSON values, and their creation from raw text. */
#include "webreport/trace/json/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/trace/json/clean.h"
#include "writer/base/table.h"

static struct tp_arena arena;

static int open_arena(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int close_arena(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static struct tp_str compact_text(const char *raw)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_clean_value(&out, tp_str_of(raw));
    struct tp_str text = {tp_arena_copy(&arena, out.data, out.size), out.size};
    tp_buf_release(&out);
    return text;
}

static void equal_values_share_one_compact_text(void **state)
{
    (void)state;
    assert_string_equal(compact_text(" [ [2, 8] ,[ ], \"a\\u0062\" ]").ptr, "[[2,8],[],\"ab\"]");
    assert_string_equal(compact_text("{\"k\" : 1.50 , \"l\":null}").ptr, "{\"k\":1.50,\"l\":null}");
    assert_string_equal(compact_text("[inf, NaN, true]").ptr, "[null,null,true]");
}

static void shapes_print_as_python_prints_them(void **state)
{
    static const char *const cases[][2] = {
        {"[[2,8],[],[]]", "[[2, 8], [], []]"},
        {"[]", "[]"},
        {"[null,true,false]", "[None, True, False]"},
        {"[\"x\",\"2.5\",2.5,1e5]", "['x', 2.5, 2.5, '1e5']"},
        {"{\"a\":1}", "{'a': 1}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(tp_value_shape_text(&arena, tp_str_of(cases[i][0])).ptr, cases[i][1]);
}

static void dumps_and_output_keep_reals_as_texts(void **state)
{
    (void)state;
    assert_string_equal(tp_value_python_text(&arena, TP_STR("[32,1,{\"a\":\"\xC3\xA9\"}]")).ptr,
                        "[32, 1, {\"a\": \"\\u00e9\"}]");
    assert_string_equal(tp_value_python_text(&arena, TP_STR("2.5")).ptr, "\"2.5\"");
    assert_string_equal(tp_value_output_text(&arena, TP_STR("[1,2.5]")).ptr, "[1,\"2.5\"]");
}

static void members_and_items_are_iterated(void **state)
{
    struct tp_str list = TP_STR("[1,[2,3],{\"a\":[4]},\"x,]\",null]"), item, key;
    static const char *const items[] = {"1", "[2,3]", "{\"a\":[4]}", "\"x,]\"", "null"};
    size_t at = 0, n = 0;
    (void)state;
    while (tp_value_next(list, &at, NULL, &item))
        assert_true(tp_str_equal(item, tp_str_of(items[n++])));
    assert_int_equal(n, 5);
    struct tp_str object = TP_STR("{\"id\":7,\"name\":\"V100\",\"id\":8}");
    assert_int_equal(tp_value_int(tp_value_member(object, "id")), 8);
    assert_null(tp_value_member(object, "nam").ptr);
    at = 0;
    assert_true(tp_value_next(object, &at, &key, &item));
    assert_true(tp_str_equal(key, TP_STR("\"id\"")));
    assert_int_equal(tp_value_int(TP_STR("\"12\"")), 12);
    assert_int_equal(tp_value_int(TP_STR("1.5")), TP_NULL_INT);
}

static void strings_become_valid_text(void **state)
{
    static const struct {
        const char *raw, *text;
        unsigned flags;
    } cases[] = {
        {"a\\n\\\"\\/", "a\n\"/", 0},
        {"\\ud834\\udd1e", "\xF0\x9D\x84\x9E", 0},
        {"\\ud834x", "\xEF\xBF\xBDx", TP_CLEAN_UTF8},
        {"\xC3(", "\xEF\xBF\xBD(", TP_CLEAN_UTF8},
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", TP_CLEAN_UTF8},
        {"\xF0\x9F\x98", "\xEF\xBF\xBD", TP_CLEAN_UTF8},
        {"torch\\cuda", "torch\\cuda", TP_CLEAN_ESCAPE},
        {"a\tb", "a\tb", TP_CLEAN_CONTROL},
        {"0123456789abc", "0123456789", TP_CLEAN_CUT},
        {"\\", "\\", TP_CLEAN_ESCAPE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_buf out;
        tp_buf_init(&out, 0);
        assert_int_equal(tp_clean_string(&out, tp_str_of(cases[i].raw), cases[i].flags == TP_CLEAN_CUT ? 10 : 1000),
                         cases[i].flags);
        assert_string_equal(out.data, cases[i].text);
        tp_buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_share_one_compact_text),
        cmocka_unit_test(shapes_print_as_python_prints_them),
        cmocka_unit_test(dumps_and_output_keep_reals_as_texts),
        cmocka_unit_test(members_and_items_are_iterated),
        cmocka_unit_test(strings_become_valid_text),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
