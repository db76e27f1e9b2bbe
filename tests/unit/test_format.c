/* Tests the formatting of numbers for people. */
#include "writer/text/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>

#include "writer/base/table.h"

static struct tp_arena arena;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static void fixed_decimals_are_grouped_and_rounded_half_away(void **state)
{
    (void)state;
    assert_string_equal(tp_text_of_fixed(&arena, 1234567.891, 2), "1,234,567.89");
    assert_string_equal(tp_text_of_fixed(&arena, 0.125, 2), "0.13");
    assert_string_equal(tp_text_of_fixed(&arena, 999.995, 0), "1,000");
    assert_string_equal(tp_text_of_fixed(&arena, -0.001, 2), "0.00");
    assert_string_equal(tp_text_of_fixed(&arena, -12.5, 1), "\xe2\x88\x92"
                                                            "12.5");
    assert_string_equal(tp_text_of_fixed(&arena, 7, 0), "7");
}

static void absent_and_extreme_values_have_a_text(void **state)
{
    (void)state;
    assert_string_equal(tp_text_of_fixed(&arena, NAN, 2), "\xe2\x80\x93");
    assert_string_equal(tp_text_of_fixed(&arena, INFINITY, 2), "\xe2\x88\x9e");
    assert_string_equal(tp_text_of_fixed(&arena, 1e300, 2), "1e+300");
    assert_string_equal(tp_text_of_time(&arena, TP_NULL_INT), "\xe2\x80\x93");
    assert_string_equal(tp_text_of_count(&arena, INT64_MAX), "9,223,372,036,854,775,807");
    assert_string_equal(tp_text_of_count(&arena, INT64_MIN + 1), "\xe2\x88\x92"
                                                                 "9,223,372,036,854,775,807");
}

static void times_choose_a_unit(void **state)
{
    (void)state;
    assert_string_equal(tp_text_of_time(&arena, 59261833), "59.3 ms");
    assert_string_equal(tp_text_of_time(&arena, 177592166), "177.6 ms");
    assert_string_equal(tp_text_of_time(&arena, 1069000000), "1.07 s");
    assert_string_equal(tp_text_of_time(&arena, 12500), "12.5 \xc2\xb5s");
    assert_string_equal(tp_text_of_time(&arena, 3000), "3 \xc2\xb5s");
    assert_string_equal(tp_text_of_time(&arena, 0), "0 \xc2\xb5s");
}

static void bytes_and_percentages_have_units(void **state)
{
    (void)state;
    assert_string_equal(tp_text_of_bytes(&arena, 2791728742), "2.60 GiB");
    assert_string_equal(tp_text_of_bytes(&arena, 512), "512 B");
    assert_string_equal(tp_text_of_percent(&arena, 55.51408), "55.5 %");
    assert_string_equal(tp_text_of_counted_noun(&arena, 1, "step", "steps"), "1 step");
    assert_string_equal(tp_text_of_counted_noun(&arena, 75718, "event", "events"), "75,718 events");
}

static void only_wall_clock_times_become_dates(void **state)
{
    (void)state;
    assert_string_equal(tp_text_of_date(&arena, 1623142623460072000), "2021-06-08 08:57:03 UTC");
    assert_string_equal(tp_text_of_date(&arena, 1709164800000000000), "2024-02-29 00:00:00 UTC");
    assert_null(tp_text_of_date(&arena, 123456789));
    assert_null(tp_text_of_date(&arena, -5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_decimals_are_grouped_and_rounded_half_away),
        cmocka_unit_test(absent_and_extreme_values_have_a_text),
        cmocka_unit_test(times_choose_a_unit),
        cmocka_unit_test(bytes_and_percentages_have_units),
        cmocka_unit_test(only_wall_clock_times_become_dates),
    };

    return cmocka_run_group_tests_name("format", tests, set_up, tear_down);
}
