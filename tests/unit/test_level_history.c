/* Tests the search for lasting changes in histories of runs with independent noise, drift and outliers. Outliers must
 * not be reported as changes. */
#include "webreport/compare/noise/level_history.h"

#include <math.h>

#include "tests/unit/normal_draws.h"
#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"

enum { RUNS = 40 };

/* Fills the levels, one per run, with 1 % of noise between runs, a drift and one lasting change. */
static void fill_levels(double *levels, struct tp_random *random, double drift, double step)
{
    for (int i = 0; i < RUNS; i++)
        levels[i] = 14.2 + 0.01 * draw_normal_number(random) + drift * i + (i >= 23 ? step : 0);
}

static void lasting_change_and_drift_are_no_noise(void **state)
{
    struct tp_random random = {6};
    double levels[RUNS], noise[3] = {0};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 100; round++)
        for (int kind = 0; kind < 3; kind++) {
            fill_levels(levels, &random, kind == 1 ? 0.005 : 0, kind == 2 ? 0.3 : 0);
            noise[kind] += tp_level_history_noise(&(struct tp_levels){levels, RUNS}, &arena) / 100;
        }
    for (int kind = 0; kind < 3; kind++)
        assert_true(fabs(noise[kind] / 0.01 - 1) < 0.15);
    assert_true(isnan(tp_level_history_noise(&(struct tp_levels){levels, 3}, &arena)));
}

static void lasting_change_is_found_and_outlier_ignored(void **state)
{
    struct tp_random random = {7};
    double levels[RUNS];
    static unsigned found, alarms; /* static, because setjmp can lose local variables */
    size_t count;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 100; round++) {
        struct tp_levels history = {levels, RUNS};
        fill_levels(levels, &random, 0, 0.03);
        const size_t *starts = tp_level_history_changes(&count, &history, NAN, &arena);
        found += count == 2 && starts[0] == 0 && starts[1] + 2 >= 23 && starts[1] <= 25;
        fill_levels(levels, &random, 0, 0);
        levels[11] += 0.08;
        levels[30] -= 0.08;
        tp_level_history_changes(&count, &history, NAN, &arena);
        alarms += count > 1;
    }
    assert_true(found >= 94 && alarms <= 3);
}

static void equal_runs_are_one_level(void **state)
{
    double levels[RUNS];
    size_t count;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (size_t runs = 0; runs < RUNS; runs++) {
        levels[runs] = 14.2; /* equal levels whose sums of squares are inexact */
        const size_t *starts = tp_level_history_changes(&count, &(struct tp_levels){levels, runs}, NAN, &arena);
        assert_true(count == 1 && starts[0] == 0);
    }
}

/* Tests runs of which each is 1.5 % slower than the previous one. A moving baseline would follow the runs. The accepted
 * level does not, so the change grows with each run. */
static void drift_accumulates_against_the_accepted_level(void **state)
{
    const struct tp_run_context guess = {.prior = {0.015, 4, 0}};
    struct tp_random random = {8};
    double levels[RUNS];
    int first = 0;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    fill_levels(levels, &random, 0, 0);
    for (int i = 11; i < RUNS; i++)
        levels[i] += 0.015 * (i - 10);
    for (int i = 11; i < RUNS && !first; i++) {
        struct tp_run_change c = tp_level_history_change(&(struct tp_levels){levels, (size_t)i},
                                                         &(struct tp_levels){levels, TP_ACCEPTED_RUNS},
                                                         &(struct tp_levels){levels + i, 1}, &guess, &arena);
        if (tp_run_change_limit_verdict(&c, 0.03) == TP_LIMIT_FAIL)
            first = i;
    }
    assert_true(first > 12 && first < 18);
}

static void loaded_machine_is_recognized_by_cpu_time(void **state)
{
    double usual[] = {0.95, 0.96, 0.94, 0.95}, again[] = {0.95, 0.96, 0.94, 0.95};
    (void)state;
    assert_true(tp_run_was_machine_busy(0.8, usual, 4));
    assert_false(tp_run_was_machine_busy(0.93, again, 4));
    assert_true(tp_run_was_machine_busy(0.4, NULL, 0));
    assert_false(tp_run_was_machine_busy(0.6, NULL, 0));
    assert_false(tp_run_was_machine_busy(NAN, NULL, 0) || tp_run_was_machine_busy(NAN, again, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lasting_change_and_drift_are_no_noise, begin, end),
        cmocka_unit_test_setup_teardown(lasting_change_is_found_and_outlier_ignored, begin, end),
        cmocka_unit_test_setup_teardown(equal_runs_are_one_level, begin, end),
        cmocka_unit_test_setup_teardown(drift_accumulates_against_the_accepted_level, begin, end),
        cmocka_unit_test(loaded_machine_is_recognized_by_cpu_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
