/* Tests statistics of samples: cases computed by hand, and properties that all samples have. */
#include "writer/base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g, wanted %.12g", value, wanted);
}

static void generator_is_splitmix64(void **state)
{
    struct tp_random random = {1234567}; /* expected output for this seed, from the generator's authors */
    (void)state;
    assert_true(tp_random_next(&random) == 6457827717110365317ull);
    assert_true(tp_random_next(&random) == 3203168211198807973ull);
    for (int i = 0; i < 1000; i++) {
        assert_true(tp_random_below(&random, 7) < 7);
        double unit = tp_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
    }
}

static void median_of_odd_and_even(void **state)
{
    double odd[] = {5, 1, 9}, even[] = {4, 1, 3, 2};
    (void)state;
    assert_near(tp_median(odd, 3), 5, 0);
    assert_near(tp_median(even, 4), 2.5, 0);
    assert_true(isnan(tp_median(odd, 0)));
}

/* Tests that the median of many values, which is found without sorting, equals the median of the sorted values. Values
 * may be equal, negative, or powers of two. */
static void median_of_many_equals_sorted_median(void **state)
{
    struct tp_random random = {11};
    static double values[701], sorted[701];
    (void)state;
    for (size_t count = 100; count <= 701; count++) {
        for (size_t i = 0; i < count; i++) {
            double value = ldexp(tp_random_unit(&random) - 0.4, (int)tp_random_below(&random, 60) - 30);
            sorted[i] = values[i] = count % 3 ? value : floor(tp_random_unit(&random) * 4) - 1.5;
        }
        tp_sort_reals(sorted, count);
        assert_true(tp_median(values, count) == tp_sorted_median(sorted, count));
    }
}

/* Tests that the p90 is the ninth of ten values and the tenth of eleven, and that the lower median is taken from the
 * sorted values. */
static void quantiles_use_nearest_rank(void **state)
{
    struct tp_random random = {3};
    (void)state;
    assert_int_equal(tp_nearest_rank(1, 90), 0);
    assert_int_equal(tp_nearest_rank(10, 90), 8);
    assert_int_equal(tp_nearest_rank(11, 90), 9);
    assert_int_equal(tp_nearest_rank(7, 100), 6);
    assert_true(tp_nearest_rank(SIZE_MAX, 50) == SIZE_MAX / 2);
    for (size_t count = 1; count < 60; count++) {
        int64_t values[60], sorted[60];
        for (size_t i = 0; i < count; i++)
            values[i] = sorted[i] = (int64_t)(tp_random_next(&random) >> tp_random_below(&random, 64)) - 1000;
        tp_sort_integers(sorted, count);
        assert_int_equal(tp_nearest_rank(count, 50), (count - 1) / 2);
        assert_true(tp_lower_median(values, count) == sorted[(count - 1) / 2]);
    }
}

static void spread_is_robust(void **state)
{
    double values[] = {5, 1, 3, 2, 4, 1e9}, one[] = {7};
    (void)state;
    assert_near(tp_robust_deviation(values, 6), 1.4826 * 1.5, 1e-12);
    assert_near(tp_robust_deviation(one, 1), 0, 0);
}

static void weighted_median_has_half_of_the_weight_below(void **state)
{
    struct tp_weighted items[] = {{3, 1}, {1, 1}, {2, 5}, {9, 1}}, even[] = {{2, 1}, {1, 1}};
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_near(tp_weighted_median(items, 4, &arena), 2, 0);
    assert_near(tp_weighted_median(even, 2, &arena), 1, 0);
    assert_near(tp_weighted_median(even, 0, &arena), 0, 0);
    tp_arena_release(&arena);
}

static void sums_are_exact(void **state)
{
    const double values[] = {1, 1e100, 1, -1e100};
    double equal[] = {14.2, 14.2, 14.2, 14.2, 14.2, 14.2, 14.2}, some[] = {1, 2, 3, 6};
    (void)state;
    assert_near(tp_sum(values, 4), 2, 0);
    assert_near(tp_sum_squared_deviations(equal, 7), 0, 0);
    assert_near(tp_sum_squared_deviations(some, 4), 14, 0);
}

static void whole_numbers_stay_in_int64(void **state)
{
    (void)state;
    assert_int_equal(tp_round_to_integer(-2.5), -3);
    assert_int_equal(tp_round_to_integer(INFINITY), 9000000000000000000);
    assert_int_equal(tp_round_to_integer(-1e300), -9000000000000000000);
    assert_int_equal(tp_round_to_integer(NAN), TP_NULL_INT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_is_splitmix64),
        cmocka_unit_test(median_of_odd_and_even),
        cmocka_unit_test(quantiles_use_nearest_rank),
        cmocka_unit_test(spread_is_robust),
        cmocka_unit_test(weighted_median_has_half_of_the_weight_below),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(whole_numbers_stay_in_int64),
        cmocka_unit_test(median_of_many_equals_sorted_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
