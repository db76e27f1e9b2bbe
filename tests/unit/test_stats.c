/* Statistics of samples, against values of R 4 (qt, t.test) and against what must hold of any sample. */
#include "writer/base/stats.h"
#include "writer/base/student.h"

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
    struct tp_random random = {1234567}; /* the sequence that the authors' program prints for this seed */
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

/* Nine of ten: the ninth of ten, the tenth of eleven; and what sorting says of the lower median. */
static void quantiles_are_by_nearest_rank(void **state)
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
    assert_near(tp_spread(values, 6), 1.4826 * 1.5, 1e-12);
    assert_near(tp_spread(one, 1), 0, 0);
}

static void half_of_the_weight_lies_below(void **state)
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

static void sums_lose_nothing(void **state)
{
    const double values[] = {1, 1e100, 1, -1e100};
    double equal[] = {14.2, 14.2, 14.2, 14.2, 14.2, 14.2, 14.2}, some[] = {1, 2, 3, 6};
    (void)state;
    assert_near(tp_sum(values, 4), 2, 0);
    assert_near(tp_squares(equal, 7), 0, 0);
    assert_near(tp_squares(some, 4), 14, 0);
}

/* Student's sleep data: t.test(extra ~ group) in R: -3.3654832 to 0.2054832 with 95 %, 17.776 degrees. */
static void welch_is_that_of_r(void **state)
{
    static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct tp_moments a = tp_moments_of(first, 10), b = tp_moments_of(second, 10);
    struct tp_bounds bounds = tp_welch_difference(&b, &a, 0.95);
    (void)state;
    assert_near(bounds.estimate, -1.58, 1e-12);
    assert_near(bounds.low, -3.3654832, 1e-6);
    assert_near(bounds.high, 0.2054832, 1e-6);
    double sum = 0, squares = 0;
    for (int i = 0; i < 10; i++) {
        sum += first[i];
        squares += first[i] * first[i];
    }
    struct tp_moments c = tp_moments_of_sums(10, sum, squares);
    assert_near(c.error_square, a.error_square, 1e-12);
    assert_near(c.mean, a.mean, 1e-12);
}

static void few_samples_have_no_interval(void **state)
{
    const double one[] = {3};
    struct tp_moments a = tp_moments_of(one, 1), none = tp_moments_of(one, 0);
    struct tp_bounds bounds = tp_welch_difference(&a, &a, 0.99);
    (void)state;
    assert_near(bounds.estimate, 0, 0);
    assert_true(isnan(bounds.low) && isnan(bounds.high) && isnan(none.mean));
    struct tp_moments zero = {0, 0, 0, 0}, some = {20, 5, 0.25, 19}; /* nothing there, for sure */
    bounds = tp_welch_difference(&zero, &some, 0.99);
    assert_near(bounds.high - 5, tp_student_quantile(0.995, 19) * 0.5, 1e-9);
}

static void a_stall_does_not_move_what_is_typical(void **state)
{
    double calm[20], stalled[20];
    (void)state;
    for (int i = 0; i < 20; i++)
        calm[i] = stalled[i] = 100 + i % 5;
    stalled[7] = 90000;
    struct tp_moments a = tp_moments_typical(calm, 20), b = tp_moments_typical(stalled, 20);
    assert_near(a.mean, 102, 1e-12);
    assert_near(b.mean, a.mean, 0.2);
    assert_true(b.error_square < 2 * a.error_square && a.freedom == 11);
    /* 1 .. 10, a fifth off each end: 3 .. 8; the winsorized sum of squares is 2 (2.5^2 3 + 1.5^2 + 0.5^2) */
    double ten[] = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
    struct tp_moments c = tp_moments_typical(ten, 10);
    assert_near(c.mean, 5.5, 1e-12);
    assert_near(c.error_square, 2 * (3 * 6.25 + 2.25 + 0.25) / 6 / 5, 1e-12);
}

static void fill(double *values, size_t count, double centre, struct tp_random *random)
{
    for (size_t i = 0; i < count; i++)
        values[i] = centre * (1 + 0.02 * (tp_random_unit(random) - 0.5));
}

static void ratio_of_medians(void **state)
{
    struct tp_arena arena;
    double base[40], slower[40];
    struct tp_random random = {5};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    fill(base, 40, 100, &random);
    fill(slower, 40, 110, &random);
    struct tp_bounds self = tp_median_ratio(base, 40, base, 40, 0.99, &arena);
    assert_near(self.estimate, 1, 0);
    assert_true(self.low < 1 && self.high > 1 && self.high - self.low < 0.03);
    struct tp_bounds bounds = tp_median_ratio(base, 40, slower, 40, 0.99, &arena);
    struct tp_bounds again = tp_median_ratio(base, 40, slower, 40, 0.99, &arena);
    assert_true(bounds.low > 1.08 && bounds.high < 1.12 && bounds.low < bounds.estimate);
    assert_true(bounds.low == again.low && bounds.high == again.high);
    bounds = tp_median_ratio(base, 5, slower, 7, 0.99, &arena); /* few: the extremes */
    assert_true(bounds.low > 1.07 && bounds.high < 1.13);
    assert_true(isnan(tp_median_ratio(base, 4, slower, 40, 0.99, &arena).low));
    base[3] = 0;
    assert_true(isnan(tp_median_ratio(base, 40, slower, 40, 0.99, &arena).estimate));
    tp_arena_release(&arena);
}

static void noise_floor_is_learned(void **state)
{
    struct tp_arena arena;
    const double one[] = {100}, calm[] = {100, 100.1, 99.9, 100}, wild[] = {100, 110, 90}, two[] = {177, 152};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_near(tp_noise_floor(one, 1, one, 1, &arena), 0.02, 0);
    assert_near(tp_noise_floor(calm, 4, one, 1, &arena), 0.005, 0);
    assert_near(tp_noise_floor(one, 1, wild, 3, &arena), 2 * 1.4826 * 0.1, 1e-12);
    assert_near(tp_noise_floor(two, 2, one, 1, &arena), 2 * 1.4826 * 12.5 / 164.5, 1e-12);
    assert_near(tp_noise_floor(calm, 2, calm, 2, &arena), 0.02, 0); /* two runs may agree by chance */
    tp_arena_release(&arena);
}

static void whole_numbers_stay_in_int64(void **state)
{
    (void)state;
    assert_int_equal(tp_whole_of(-2.5), -3);
    assert_int_equal(tp_whole_of(INFINITY), 9000000000000000000);
    assert_int_equal(tp_whole_of(-1e300), -9000000000000000000);
    assert_int_equal(tp_whole_of(NAN), TP_NULL_INT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_is_splitmix64),
        cmocka_unit_test(median_of_odd_and_even),
        cmocka_unit_test(quantiles_are_by_nearest_rank),
        cmocka_unit_test(spread_is_robust),
        cmocka_unit_test(half_of_the_weight_lies_below),
        cmocka_unit_test(sums_lose_nothing),
        cmocka_unit_test(welch_is_that_of_r),
        cmocka_unit_test(few_samples_have_no_interval),
        cmocka_unit_test(a_stall_does_not_move_what_is_typical),
        cmocka_unit_test(ratio_of_medians),
        cmocka_unit_test(noise_floor_is_learned),
        cmocka_unit_test(whole_numbers_stay_in_int64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
