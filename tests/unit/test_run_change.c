/* Tests the levels (mean step times) of runs, their noise, changes and limits: general properties, and cases computed
 * by hand. */
#include "webreport/compare/noise/run_change.h"

#include <math.h>

#include "tests/unit/normal_draws.h"
#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"
#include "writer/base/student.h"

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g, wanted %.12g", value, wanted);
}

static const struct tp_run_context of_steps = {.prior = {0.015, 4, 0}};

static struct tp_run_change find_change(const double *base, size_t base_count, const double *new_side, size_t new_count)
{
    return tp_run_change_of_sides(&(struct tp_levels){base, base_count}, &(struct tp_levels){new_side, new_count},
                                  &of_steps, &arena);
}

static void level_is_the_mean_of_the_middle_steps(void **state)
{
    double steps[] = {100, 5000, 102, 98, 1, 101,
                      99,  100,  103, 97}; /* all steps except those of 5000 and 1 are
                                            * usual */
    double four[] = {1, 2, 3, 6}, none[] = {0, 0, 0};
    (void)state;
    struct tp_run_level level = tp_run_level_of_steps(steps, 10);
    assert_near(level.level, log(100), 1e-12);
    assert_near(level.cv, 1.4826 * 0.02, 1e-12);
    assert_near(tp_run_level_of_steps(four, 4).level, log(3), 1e-12);
    assert_true(isnan(tp_run_level_of_steps(none, 3).level) && isnan(tp_run_level_of_steps(none, 0).level));
}

static void guessed_noise_is_the_larger_of_two(void **state)
{
    double calm[] = {0.001, 0.002, 0.0005}, wild[] = {0.04, 0.1, 0.02};
    (void)state;
    assert_near(tp_run_noise_prior_estimate(TP_QUANTITY_KERNELS, calm, 3, true).sd, 0.002, 0);
    assert_near(tp_run_noise_prior_estimate(TP_QUANTITY_KERNELS, calm, 3, false).sd, 0.008, 0);
    assert_near(tp_run_noise_prior_estimate(TP_QUANTITY_STEP, wild, 3, true).sd, 0.04, 0);
    assert_near(tp_run_noise_prior_estimate(TP_QUANTITY_KERNELS, wild, 3, true).sd, 0.85 * 0.04, 1e-15);
}

/* Tests that with one base run and one new run, the noise is only a guess with four degrees of freedom. */
static void one_run_per_side_uses_the_guess(void **state)
{
    const double base[] = {5}, later[] = {5.1};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_run_change c = find_change(base, 1, later, 1);
    double error = 0.015 * sqrt(2);
    assert_near(c.estimate, expm1(0.1), 1e-12);
    assert_near(c.low, expm1(0.1 - 4.60409 * error), 1e-5);
    assert_near(c.high, expm1(0.1 + 4.60409 * error), 1e-5);
    assert_near(c.detectable, expm1((4.60409 + 0.94096) * error), 1e-5);
    assert_near(c.noise.freedom, 4, 0);
}

/* Tests that the guess has the weight of one run after ten equal runs. Ten noisy runs contradict the guess, so it is
 * dropped. */
static void runs_replace_the_guess(void **state)
{
    double equal[10], noisy[10];
    const double one[] = {5};
    const struct tp_run_noise guess = {0.015, 4, 0};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int i = 0; i < 10; i++) {
        equal[i] = 14.2; /* cannot be represented exactly as a double */
        noisy[i] = 5 + 0.1 * (i % 2 ? 1 : -1);
    }
    struct tp_levels groups[] = {{equal, 10}, {one, 1}}, noisy_groups[] = {{noisy, 10}, {one, 1}};
    struct tp_run_noise calm = tp_run_noise_pool_groups(groups, 2, &guess, TP_ESTIMATOR_EXACT, &arena);
    assert_near(calm.sd, 0.015 / sqrt(10), 1e-12);
    assert_near(calm.freedom, 10, 0);
    struct tp_run_noise wild = tp_run_noise_pool_groups(noisy_groups, 2, &guess, TP_ESTIMATOR_EXACT, &arena);
    assert_near(wild.sd, sqrt(10 * 0.01 / 9), 1e-12);
    assert_near(wild.freedom, 9, 0);
    struct tp_run_noise none = tp_run_noise_pool_groups(NULL, 0, &guess, TP_ESTIMATOR_EXACT, &arena);
    assert_true(none.sd == guess.sd && none.freedom == guess.freedom);
}

/* Tests that an outlier is moved to 3 robust standard deviations from the median. Expected values are computed by
 * hand. */
static void limited_outlier_has_no_degree_of_freedom(void **state)
{
    static const double levels[10] = {-4, -3, -2, -1, 0, 1, 2, 3, 4, 700};
    const struct tp_run_noise guess = {0.1, 4, 0};
    const double drawn = 0.5 + 3 * 1.4826 * 2.5;     /* the median is 0.5, and the median distance from it is 2.5 */
    const double squares = 60 + 0.9 * drawn * drawn; /* sum of squares; the mean of the other nine levels is 0 */
    (void)state;
    if (setjmp(arena.guard))
        fail();
    const struct tp_levels group = {levels, 10};
    struct tp_run_noise exact = tp_run_noise_pool_groups(&group, 1, &guess, TP_ESTIMATOR_EXACT, &arena);
    assert_near(exact.freedom, 8, 0);
    assert_near(exact.sd, sqrt(squares * 9 / 8 / 8), 1e-12);
    struct tp_run_noise plain = tp_run_noise_pool_groups(&group, 1, &guess, TP_ESTIMATOR_PLAIN, &arena);
    assert_near(plain.freedom, 9, 0);
    assert_near(plain.sd, sqrt(squares * 1.12 / 9), 1e-12);
}

/* Tests that only a share of the error probability is allowed if the noise is measured from runs. If all noise is
 * guessed, the whole error probability is allowed. */
static void error_chance_shrinks_if_noise_is_measured(void **state)
{
    const struct tp_run_noise guessed = {0.01, 4, 4}, known = {0.01, 9, 0}, half = {0.01, 4, 2};
    (void)state;
    assert_near(tp_run_allowed_error_chance(&guessed, 0.1), TP_RUN_ERROR_CHANCE, 1e-15);
    assert_near(tp_run_allowed_error_chance(&known, 0.1), 0.1 * TP_RUN_ERROR_CHANCE, 1e-15);
    assert_near(tp_run_allowed_error_chance(&half, 0.1), 0.55 * TP_RUN_ERROR_CHANCE, 1e-15);
    assert_near(tp_run_allowed_error_chance(&known, 0), TP_RUN_ERROR_CHANCE, 1e-15);
}

static void copy_in_other_order(double *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = values[(i * 7 + 3) % count]; /* gives another order, because the count is no multiple of 7 */
}

/* Tests that the order of the runs does not change any bit of the result, and that exchanging base and new runs
 * reverses the change. An interval contains its estimate. The detectable change is more than half of the interval. */
static void general_properties_are_true_for_any_runs(void **state)
{
    struct tp_random random = {2};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 500; round++) {
        double base[20], later[20], other[20];
        size_t count = 1 + tp_random_below(&random, 6), more = 1 + tp_random_below(&random, 13);
        more += more % 7 == 0;
        for (size_t i = 0; i < 20; i++) {
            base[i] = 14 + 0.01 * draw_normal_number(&random);
            later[i] = 14 + 0.03 * draw_normal_number(&random);
        }
        struct tp_run_change c = find_change(base, more, later, count);
        copy_in_other_order(other, base, more);
        struct tp_run_change turned = find_change(other, more, later, count);
        assert_memory_equal(&c, &turned, sizeof c);
        assert_true(c.low < c.estimate && c.estimate < c.high && c.detectable > c.half_width && c.p >= 0 && c.p <= 1);
        assert_true((c.p < TP_RUN_ERROR_CHANCE) == (c.low > 0 || c.high < 0));
        if (more < 5 && count < 5) {
            struct tp_run_change back = find_change(later, count, base, more);
            assert_near((1 + back.estimate) * (1 + c.estimate), 1, 1e-12);
            assert_near(back.detectable, c.detectable, 1e-12);
        }
        struct tp_run_change same = find_change(base, more, base, more);
        assert_true(same.low < 0 && same.high > 0);
    }
}

static void more_runs_detect_smaller_changes(void **state)
{
    double levels[40], before = INFINITY;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int i = 0; i < 40; i++)
        levels[i] = 3 + 0.015 * (i % 2 ? 1 : -1);
    for (size_t count = 2; count <= 40; count += 2) {
        if (count == 6) /* from six runs on, the level is a median, which is less precise */
            before = INFINITY;
        struct tp_run_change c = find_change(levels, count, levels, count);
        assert_true(c.detectable < before);
        before = c.detectable;
    }
}

/* Tests that a limit below the interval fails, a limit above it passes, and a limit inside it is unclear. */
static void limits_follow_the_interval(void **state)
{
    (void)state;
    for (int low = -10; low <= 10; low++)
        for (int high = low; high <= 10; high++)
            for (int most = -10; most <= 10; most++) {
                struct tp_run_change c = {.low = low / 1000.0, .high = high / 1000.0};
                enum tp_limit_verdict verdict = tp_run_change_limit_verdict(&c, most / 1000.0);
                assert_int_equal(verdict, low > most ? TP_LIMIT_FAIL : high <= most ? TP_LIMIT_PASS : TP_LIMIT_UNCLEAR);
            }
    struct tp_run_change unknown = {.low = NAN, .high = NAN};
    assert_int_equal(tp_run_change_limit_verdict(&unknown, 0.03), TP_LIMIT_UNCLEAR);
}

static void number_of_needed_runs_is_computed(void **state)
{
    const struct tp_run_noise noise = {0.01, 6, 0}, none = {0, 6, 0};
    (void)state;
    unsigned runs = tp_runs_needed(&noise, 0.02, 1);
    double shorter = tp_student_quantile(0.995, 6 + runs) * 0.01 * sqrt(2.0 / runs);
    double longer = tp_student_quantile(0.995, 6 + runs - 1) * 0.01 * sqrt(2.0 / (runs - 1));
    assert_true(shorter <= 0.02 && longer > 0.02);
    assert_true(tp_runs_needed(&noise, 0.02, 10) < runs);
    assert_int_equal(tp_runs_needed(&noise, 0.0001, 1), 0);
    assert_int_equal(tp_runs_needed(&none, 0, 1), 1);
}

/* Compares with R, whose t.test(d) for Student's paired sleep data gives: mean 1.58, interval 0.4598 to 2.7002 at 99 %,
 * 9 degrees of freedom, p 0.002833. */
static void paired_test_equals_r(void **state)
{
    double sleep[] = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};
    (void)state;
    struct tp_run_change c = tp_run_change_of_pairs(sleep, 10);
    assert_near(log1p(c.estimate), 1.58, 1e-12);
    assert_near(log1p(c.low), 0.3158805, 1e-3);
    assert_near(log1p(c.high), 2.8441195, 1e-3);
    assert_near(c.p, 0.002833, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(level_is_the_mean_of_the_middle_steps, begin, end),
        cmocka_unit_test_setup_teardown(guessed_noise_is_the_larger_of_two, begin, end),
        cmocka_unit_test_setup_teardown(one_run_per_side_uses_the_guess, begin, end),
        cmocka_unit_test_setup_teardown(runs_replace_the_guess, begin, end),
        cmocka_unit_test_setup_teardown(limited_outlier_has_no_degree_of_freedom, begin, end),
        cmocka_unit_test(error_chance_shrinks_if_noise_is_measured),
        cmocka_unit_test_setup_teardown(general_properties_are_true_for_any_runs, begin, end),
        cmocka_unit_test_setup_teardown(more_runs_detect_smaller_changes, begin, end),
        cmocka_unit_test(limits_follow_the_interval),
        cmocka_unit_test(number_of_needed_runs_is_computed),
        cmocka_unit_test(paired_test_equals_r),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
