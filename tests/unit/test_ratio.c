/* Tests quotients of integers against Python 3.11, where int / int is rounded to the nearest double. */
#include "writer/base/ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef __int128 i128;

#define LARGEST ((i128)((~(unsigned __int128)0) >> 1))

static void quotient_is_rounded_once(void **state)
{
    (void)state;
    /* A 64-bit long double would round these quotients twice and give a wrong double. */
    assert_true(tp_ratio(8311106704, 436124875) == 0x1.30e84c3364cb1p+4);
    assert_true(tp_ratio(11102108905, 4107) == 0x1.49fb818b7022fp+21);
    assert_true(tp_ratio(358552, 302996529269) == 0x1.3da76ebb22efbp-20);
    assert_true(tp_mean_us(11102108905000, 4107) == 0x1.49fb818b7022fp+21);
    assert_true(tp_ratio(1, 10) == 0.1);
}

static void integers_beyond_doubles_are_exact(void **state)
{
    const i128 b53 = (i128)1 << 53, e9 = 1000000000;
    (void)state;
    assert_true(tp_ratio(INT64_MAX, b53 + 1) == 0x1.fffffffffffffp+9);
    assert_true(tp_ratio(2 * b53 + 1, 1) == 0x1p+54); /* the exact quotient is in the middle of two doubles, so the even
                                                       * one is right */
    assert_true(tp_ratio(2 * b53 + 3, 1) == 0x1.0000000000001p+54);
    assert_true(tp_ratio((b53 + 1) * 3, 3) == 0x1p+53);
    assert_true(tp_ratio((b53 + 1) * 3 + 1, 3) == 0x1.0000000000001p+53); /* the exact quotient is slightly above the
                                                                           * middle of two doubles */
    assert_true(tp_ratio((b53 + 3) * 3, 3) == 0x1.0000000000002p+53);
    assert_true(tp_ratio((b53 + 3) * 3 - 1, 3) == 0x1.0000000000001p+53);
    assert_true(tp_ratio((b53 + 1) * e9, e9 * 1000) == 0x1.0624dd2f1a9fcp+43);
}

static void largest_integers_are_divided(void **state)
{
    (void)state;
    assert_true(tp_ratio(LARGEST, 3) == 0x1.5555555555555p+125);
    assert_true(tp_ratio(3, LARGEST) == 0x1.8p-126);
    assert_true(tp_ratio(LARGEST, LARGEST - 1) == 1);
    assert_true(tp_ratio(LARGEST / 2 + 2, LARGEST) == 0.5);
    assert_true(tp_ratio(-LARGEST - 1, -LARGEST - 1) == 1);
    assert_true(tp_ratio(-LARGEST - 1, 1) == -0x1p+127);
}

static void signs_and_zero_are_handled(void **state)
{
    (void)state;
    assert_true(tp_ratio(-7, 3) == -0x1.2aaaaaaaaaaabp+1);
    assert_true(tp_ratio(7, -3) == -0x1.2aaaaaaaaaaabp+1);
    assert_true(tp_ratio(0, 0) == 0);
    assert_true(tp_ratio(5, 0) == 0);
    assert_true(tp_ratio(0, -5) == 0);
    assert_true(isnan(tp_mean_us(5, 0)));
    assert_true(tp_mean_us(INT64_MAX, UINT64_MAX) == 0x1.0624dd2f1a9fcp-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotient_is_rounded_once),
        cmocka_unit_test(integers_beyond_doubles_are_exact),
        cmocka_unit_test(largest_integers_are_divided),
        cmocka_unit_test(signs_and_zero_are_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
