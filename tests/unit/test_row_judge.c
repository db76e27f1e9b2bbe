/* Tests the comparison of many rows at the same time. A shift of all rows is reported once, and a row that changed more
 * is found. Many rows together show the noise, which few runs cannot show. */
#include "webreport/compare/two/row_judge.h"

#include <math.h>

#include "tests/unit/normal_draws.h"
#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"

enum { ROWS = 60, RUNS = 5 };

static double levels[2][ROWS][RUNS];
static struct tp_row_levels rows[ROWS];

/* Fills rows with 0.3 % of noise between runs. In the new runs all rows take 2 % longer. Row 7 also changes by `change`
 * (logarithm of the factor). */
static void make_random_rows(struct tp_random *random, double change)
{
    for (int i = 0; i < ROWS; i++) {
        for (int side = 0; side < 2; side++)
            for (int run = 0; run < RUNS; run++)
                levels[side][i][run] = 10 + 0.1 * i + 0.003 * draw_normal_number(random) + (side ? 0.02 : 0) +
                                       (side && i == 7 ? change : 0);
        rows[i] = (struct tp_row_levels){.base = levels[0][i],
                                         .new_side = levels[1][i],
                                         .base_step_variation = 0.003,
                                         .new_step_variation = 0.003,
                                         .share = 1.0 / ROWS};
    }
}

static void row_is_found_despite_a_common_shift(void **state)
{
    struct tp_random random = {4};
    static unsigned found, wrong, hints; /* static, because setjmp can lose local variables */
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 100; round++) {
        make_random_rows(&random, 0.03);
        struct tp_row_judgement j =
            tp_rows_judge(rows, ROWS, (const size_t[]){3, 3}, TP_ROW_ERROR_CHANCE, false, &arena);
        assert_true(fabs(j.shift - 0.02) < 0.003);
        found += j.rows[7].is_sure && fabs(j.rows[7].estimate - 0.03) < 0.015;
        for (int i = 0; i < ROWS; i++)
            wrong += i != 7 && j.rows[i].is_sure;
        j = tp_rows_judge(rows, ROWS, (const size_t[]){1, 1}, TP_ROW_ERROR_CHANCE, false, &arena);
        hints += j.rows[7].is_listed;
    }
    assert_true(found >= 98 && wrong <= 3 && hints >= 50);
}

static void fewer_than_five_rows_give_no_noise(void **state)
{
    struct tp_random random = {4};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    make_random_rows(&random, 0.03);
    struct tp_row_judgement j = tp_rows_judge(rows, 4, (const size_t[]){3, 3}, TP_ROW_ERROR_CHANCE, false, &arena);
    assert_true(j.shift == 0 && !j.rows);
    assert_non_null(tp_rows_judge(rows, 5, (const size_t[]){3, 3}, TP_ROW_ERROR_CHANCE, false, &arena).rows);
}

/* Tests that equal rows are not a change, even with very little noise. */
static void equal_rows_are_no_change(void **state)
{
    struct tp_random random = {4};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    make_random_rows(&random, 0);
    for (int i = 0; i < ROWS; i++)
        for (int side = 0; side < 2; side++)
            for (int run = 0; run < RUNS; run++)
                levels[side][i][run] = 14.2 + i;
    for (size_t runs = 1; runs <= RUNS; runs++) {
        struct tp_row_judgement j =
            tp_rows_judge(rows, ROWS, (const size_t[]){runs, runs}, TP_ROW_ERROR_CHANCE, false, &arena);
        assert_true(j.shift == 0);
        for (int i = 0; i < ROWS; i++)
            assert_true(j.rows[i].estimate == 0 && j.rows[i].p == 1 && !j.rows[i].is_listed);
    }
}

/* Draws sample deviations with 5 degrees of freedom, from true variances s0^2 nu0 / chi-square(nu0). The fit must find
 * s0 and nu0. */
static void fit_finds_the_parameters_of_variances(void **state)
{
    enum { MANY = 4000, FREEDOM = 5, WORTH = 8 };
    static double sds[MANY];
    struct tp_random random = {9};
    (void)state;
    for (int i = 0; i < MANY; i++) {
        double worth = 0, own = 0;
        for (int k = 0; k < WORTH; k++)
            worth += pow(draw_normal_number(&random), 2);
        for (int k = 0; k < FREEDOM; k++)
            own += pow(draw_normal_number(&random), 2);
        sds[i] = sqrt(0.004 * 0.004 * WORTH / worth * own / FREEDOM);
    }
    struct tp_run_noise fit = tp_row_noise_estimate(sds, MANY, FREEDOM);
    assert_true(fabs(fit.sd / 0.004 - 1) < 0.03 && fabs(fit.freedom - WORTH) < 1.5);
    assert_true(tp_row_noise_estimate(sds, 7, FREEDOM).freedom == 0);
    for (int i = 0; i < MANY; i++)
        sds[i] = 0.01; /* equal deviations mean that all rows have the same noise */
    assert_true(tp_row_noise_estimate(sds, MANY, FREEDOM).freedom == 50);
}

/* Tests a row 7 that takes twice as long in the new run, in all steps or only in the long steps. On a busy machine,
 * only the long steps get slower. */
static void wall_clock_row_needs_short_steps(void **state)
{
    static double lows[2][ROWS][RUNS];
    struct tp_random random = {4};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 4; round++) {
        bool is_faster = round & 1, is_in_all = round & 2;
        make_random_rows(&random, is_faster ? -log(2) : log(2));
        for (int i = 0; i < ROWS; i++)
            for (int side = 0; side < 2; side++) {
                for (int run = 0; run < RUNS; run++) /* the machine is 30 % slower in the new runs */
                    lows[side][i][run] = (i == 7 && !is_in_all ? 10.7 : levels[side][i][run] - 0.1) + (side ? 0.26 : 0);
                rows[i].base_low_levels = lows[0][i];
                rows[i].new_low_levels = lows[1][i];
            }
        struct tp_row_judgement j =
            tp_rows_judge(rows, ROWS, (const size_t[]){RUNS, 1}, TP_ROW_ERROR_CHANCE, true, &arena);
        assert_true(j.rows[7].is_sure);
        assert_int_equal(j.rows[7].is_confirmed, is_in_all);
        assert_true(fabs(j.low_shift - 0.28) < 0.01);
        j = tp_rows_judge(rows, ROWS, (const size_t[]){RUNS, 1}, TP_ROW_ERROR_CHANCE, false, &arena);
        /* devices are not shared, so short steps do not matter */
        assert_true(j.rows[7].is_confirmed && isnan(j.low_shift));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(row_is_found_despite_a_common_shift, begin, end),
        cmocka_unit_test_setup_teardown(fewer_than_five_rows_give_no_noise, begin, end),
        cmocka_unit_test_setup_teardown(equal_rows_are_no_change, begin, end),
        cmocka_unit_test_setup_teardown(wall_clock_row_needs_short_steps, begin, end),
        cmocka_unit_test(fit_finds_the_parameters_of_variances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
