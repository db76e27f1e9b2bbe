/* Numbers from digits: times, ids, decimals. */
#include "webreport/trace/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/limits.h"

static void time_is_ns_from_the_digits(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"0", 0},
        {"5", 5000},
        {"5.7", 5700},
        {"5.007", 5007},
        {"5.0079", 5007},
        {"-1", -1000},
        {"-0", 0},
        {"1712195495406752.797", 1712195495406752797},
        {"1614800519473220", 1614800519473220000},
        {"\"12.5\"", 12500},
        {"\" 12 \"", 12000},
        {"1e3", 1000000},
        {"1.5E+2", 150000},
        {"25e-3", 25},
        {"-25e-4", -2},
        {"2305843009213692", 2305843009213692000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = -1;
        assert_int_equal(tp_number_time(tp_str_of(cases[i].text), &ns), TP_NUMBER_OK);
        assert_int_equal(ns, cases[i].ns);
    }
}

static void time_beyond_the_limit_is_out_of_range_and_saturates(void **state)
{
    static const char *const cases[] = {"9223372036854775807", "-9223372036854775808", "1e300", "2305843009213694"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = 0;
        assert_int_equal(tp_number_time(tp_str_of(cases[i]), &ns), TP_NUMBER_RANGE);
        assert_int_equal(ns, cases[i][0] == '-' ? -(TP_MAX_TIME_NS - 1) : TP_MAX_TIME_NS - 1);
    }
}

static void what_is_no_number_is_none(void **state)
{
    static const char *const cases[] = {"",    "null", "true",  "NaN", "-Infinity", "\"abc\"",
                                        "[1]", "-",    "1.2.3", "1e",  "\"\""};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tp_number_time(tp_str_of(cases[i]), &value), TP_NUMBER_NONE);
        assert_int_equal(tp_number_int(tp_str_of(cases[i]), &value), TP_NUMBER_NONE);
        assert_true(isnan(tp_number_real(tp_str_of(cases[i]))));
    }
}

static void ids_are_64_bit(void **state)
{
    int64_t value;
    (void)state;
    assert_int_equal(tp_number_int(TP_STR("\"25738\""), &value), TP_NUMBER_OK);
    assert_int_equal(value, 25738);
    assert_int_equal(tp_number_int(TP_STR("9223372036854775807"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_int(TP_STR("18446744073709551615"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_int(TP_STR("1180591620717411303424"), &value), TP_NUMBER_RANGE);
    assert_int_equal(tp_number_int(TP_STR("1.0"), &value), TP_NUMBER_NONE);
}

static void decimals_are_cut_after_nine_places(void **state)
{
    int64_t value;
    (void)state;
    assert_int_equal(tp_number_e9(TP_STR("0.97"), &value), TP_NUMBER_OK);
    assert_int_equal(value, 970000000);
    assert_int_equal(tp_number_e9(TP_STR("0.15151515603065491"), &value), TP_NUMBER_OK);
    assert_int_equal(value, 151515156);
    assert_int_equal(tp_number_e9(TP_STR("1e30"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_e9(TP_STR("\"inf\""), &value), TP_NUMBER_NONE);
    assert_true(tp_number_real(TP_STR("0.97")) == 0.97);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_ns_from_the_digits),
        cmocka_unit_test(time_beyond_the_limit_is_out_of_range_and_saturates),
        cmocka_unit_test(what_is_no_number_is_none),
        cmocka_unit_test(ids_are_64_bit),
        cmocka_unit_test(decimals_are_cut_after_nine_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
