/* Tests filters of rows: which texts are filters, and the values that are bound. */
#include "webreport/ask/where.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct question {
    struct tp_arena arena;
    const char *text;
    struct tp_where where;
    struct tp_error err;
};

static int read_filter(void *context, struct tp_error *err)
{
    struct question *q = context;
    return tp_where_read(&q->where, tp_str_of(q->text), &q->arena, err);
}

static int ask(struct question *q, const char *text)
{
    q->text = text;
    q->err = (struct tp_error){0};
    tp_arena_init(&q->arena, 0);
    return tp_arena_run(&q->arena, read_filter, q, &q->err);
}

static void values_are_texts_and_numbers(void **state)
{
    struct question q;
    (void)state;
    assert_int_equal(ask(&q, " kind = 'gpu_memset' AND duration_ns>=10 and x <-1.5 and name like 'it''s %' "), 0);
    assert_int_equal(q.where.count, 4);
    assert_true(tp_str_equal(q.where.terms[0].column, TP_STR("kind")));
    assert_true(q.where.terms[0].is_text && tp_str_equal(q.where.terms[0].text, TP_STR("gpu_memset")));
    assert_string_equal(q.where.terms[1].comparison, ">=");
    assert_true(q.where.terms[1].is_integer && q.where.terms[1].integer == 10);
    assert_false(q.where.terms[2].is_integer);
    assert_float_equal(q.where.terms[2].real, -1.5, 0);
    assert_string_equal(q.where.terms[3].comparison, "like");
    assert_true(tp_str_equal(q.where.terms[3].text, TP_STR("it's %")));
    tp_arena_release(&q.arena);
}

static void an_empty_filter_has_no_terms(void **state)
{
    struct question q;
    (void)state;
    assert_int_equal(ask(&q, "  "), 0);
    assert_int_equal(q.where.count, 0);
    tp_arena_release(&q.arena);
}

static void numbers_beyond_int64_are_reals(void **state)
{
    struct question q;
    (void)state;
    assert_int_equal(ask(&q, "a = 9223372036854775807 and b = 9223372036854775808"), 0);
    assert_true(q.where.terms[0].is_integer && q.where.terms[0].integer == INT64_MAX);
    assert_false(q.where.terms[1].is_integer);
    tp_arena_release(&q.arena);
}

static void sql_is_refused_with_its_position(void **state)
{
    static const char *const texts[] = {"1=1 union select 1",
                                        "a",
                                        "a =",
                                        "a = b",
                                        "a = 'x",
                                        "a = 1;",
                                        "a = 1 or b = 2",
                                        "a = 1 and",
                                        "a = 1 and ",
                                        "a = 1and b = 2",
                                        "a = 1 andb = 2",
                                        "(a = 1)",
                                        "a = 1 -- x",
                                        "a = 0x10",
                                        "a = 1e5",
                                        "a = .5",
                                        "a = 1.",
                                        "a = --1",
                                        "a == 1",
                                        "\"a\" = 1",
                                        "a = \"x\"",
                                        "a is null",
                                        "a = 1 collate nocase",
                                        "a in (1)",
                                        "a glob '*'"};
    struct question q;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(ask(&q, texts[i]), TP_EUSAGE);
        assert_non_null(strstr(q.err.text, "where: byte "));
        tp_arena_release(&q.arena);
    }
}

static void the_number_of_terms_is_limited(void **state)
{
    char text[TP_MAX_ASK_WHERE_BYTES] = "a=1";
    struct question q;
    (void)state;
    for (int i = 0; i < TP_MAX_ASK_WHERE_TERMS - 1; i++)
        strcat(text, " and a=1");
    assert_int_equal(ask(&q, text), 0);
    assert_int_equal(q.where.count, TP_MAX_ASK_WHERE_TERMS);
    tp_arena_release(&q.arena);
    strcat(text, " and a=1");
    assert_int_equal(ask(&q, text), TP_EUSAGE);
    tp_arena_release(&q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_texts_and_numbers),   cmocka_unit_test(an_empty_filter_has_no_terms),
        cmocka_unit_test(numbers_beyond_int64_are_reals), cmocka_unit_test(sql_is_refused_with_its_position),
        cmocka_unit_test(the_number_of_terms_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
