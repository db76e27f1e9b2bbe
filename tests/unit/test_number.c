/* Tests the parsing of numbers: times, ids, decimals. */
#include "webreport/trace/json/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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
        assert_int_equal(tp_number_parse_time(tp_str_of(cases[i].text), &ns), TP_NUMBER_OK);
        assert_int_equal(ns, cases[i].ns);
    }
}

static void time_beyond_the_limit_is_out_of_range_and_saturates(void **state)
{
    static const char *const cases[] = {"9223372036854775807", "-9223372036854775808", "1e300", "2305843009213694"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = 0;
        assert_int_equal(tp_number_parse_time(tp_str_of(cases[i]), &ns), TP_NUMBER_RANGE);
        assert_int_equal(ns, cases[i][0] == '-' ? -(TP_MAX_TIME_NS - 1) : TP_MAX_TIME_NS - 1);
    }
}

static void invalid_number_gives_no_value(void **state)
{
    static const char *const cases[] = {"",    "null", "true",  "NaN", "-Infinity", "\"abc\"",
                                        "[1]", "-",    "1.2.3", "1e",  "\"\""};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tp_number_parse_time(tp_str_of(cases[i]), &value), TP_NUMBER_NONE);
        assert_int_equal(tp_number_parse_int(tp_str_of(cases[i]), &value), TP_NUMBER_NONE);
        assert_true(isnan(tp_number_parse_real(tp_str_of(cases[i]))));
    }
}

static void ids_are_64_bit(void **state)
{
    int64_t value;
    (void)state;
    assert_int_equal(tp_number_parse_int(TP_STR("\"25738\""), &value), TP_NUMBER_OK);
    assert_int_equal(value, 25738);
    assert_int_equal(tp_number_parse_int(TP_STR("9223372036854775807"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_parse_int(TP_STR("18446744073709551615"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_parse_int(TP_STR("1180591620717411303424"), &value), TP_NUMBER_RANGE);
    assert_int_equal(tp_number_parse_int(TP_STR("1.0"), &value), TP_NUMBER_NONE);
}

static void decimals_are_truncated_after_nine_places(void **state)
{
    int64_t value;
    (void)state;
    assert_int_equal(tp_number_parse_billionths(TP_STR("0.97"), &value), TP_NUMBER_OK);
    assert_int_equal(value, 970000000);
    assert_int_equal(tp_number_parse_billionths(TP_STR("0.15151515603065491"), &value), TP_NUMBER_OK);
    assert_int_equal(value, 151515156);
    assert_int_equal(tp_number_parse_billionths(TP_STR("1e30"), &value), TP_NUMBER_OK);
    assert_int_equal(value, INT64_MAX);
    assert_int_equal(tp_number_parse_billionths(TP_STR("\"inf\""), &value), TP_NUMBER_NONE);
    assert_true(tp_number_parse_real(TP_STR("0.97")) == 0.97);
}

/* Compares the fast code for short numbers with the C library, for lengths around the limits of the fast code. */
static void digits_of_every_length_are_read(void **state)
{
    unsigned seed = 7;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        int whole = 1 + (int)(seed % 19), decimals = (int)(seed / 19 % 12), n = 0;
        for (int i = 0; i < whole + decimals; i++) {
            seed = seed * 1664525 + 1013904223;
            if (i == whole)
                text[n++] = '.';
            text[n++] = (char)('0' + (seed >> 16) % 10);
        }
        text[n] = '\0';
        int64_t value;
        struct tp_str token = {text, (size_t)n};
        if (tp_number_parse_real(token) != strtod(text, NULL))
            fail_msg("%s as a number", text);
        if (!decimals) {
            assert_int_equal(tp_number_parse_int(token, &value), TP_NUMBER_OK);
            if (strtoull(text, NULL, 10) <= INT64_MAX)
                assert_int_equal(value, strtoll(text, NULL, 10));
        }
        char digits[64], *end;
        int scaled = snprintf(digits, sizeof digits, "%.*s%.*s000000000", whole, text, decimals < 9 ? decimals : 9,
                              text + whole + (decimals > 0));
        digits[scaled - (decimals < 9 ? decimals : 9)] = '\0';
        errno = 0;
        int64_t want = strtoll(digits, &end, 10);
        assert_int_equal(tp_number_parse_billionths(token, &value), TP_NUMBER_OK);
        assert_int_equal(value, errno ? INT64_MAX : want);
        for (int i = 0; i < n; i++) { /* a letter at any place makes the number invalid */
            char kept = text[i];
            text[i] = 'x';
            assert_int_equal(tp_number_parse_int(token, &value), TP_NUMBER_NONE);
            assert_int_equal(tp_number_parse_time(token, &value), TP_NUMBER_NONE);
            text[i] = kept;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_ns_from_the_digits),
        cmocka_unit_test(time_beyond_the_limit_is_out_of_range_and_saturates),
        cmocka_unit_test(invalid_number_gives_no_value),
        cmocka_unit_test(digits_of_every_length_are_read),
        cmocka_unit_test(ids_are_64_bit),
        cmocka_unit_test(decimals_are_truncated_after_nine_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
