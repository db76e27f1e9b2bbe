/* Tests stored runs: which runs define the accepted level, where the level changed, and which runs are outliers. */
#include "webreport/compare/gate/history.h"

#include <math.h>
#include <string.h>

#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"

enum { RUNS = 30, STEPS = 5 };

static struct tp_summary summaries[RUNS];
static struct tp_summary_step steps[RUNS][STEPS];
static struct tp_history_run runs[RUNS];

/* Fills runs of about 1 ms that differ by 0.2 %. From run `from` on, their times are higher by the factor 1 +
 * `change`. */
static void fill_runs_of_history(size_t from, double change)
{
    struct tp_random random = {11};
    memset(runs, 0, sizeof runs);
    for (size_t i = 0; i < RUNS; i++) {
        double level = 1e6 * (1 + 0.004 * (tp_random_unit(&random) - 0.5)) * (i >= from ? 1 + change : 1);
        for (size_t s = 0; s < STEPS; s++)
            steps[i][s] = (struct tp_summary_step){.total_ns = (int64_t)level};
        summaries[i] = (struct tp_summary){.steps = steps[i], .step_count = STEPS};
        runs[i] = (struct tp_history_run){.label = TP_STR("c"), .items = &summaries[i], .count = 1};
    }
}

static void make_run_slower(size_t run)
{
    for (size_t s = 0; s < STEPS; s++)
        steps[run][s].total_ns += 100000;
}

static void failed_runs_define_no_level(void **state)
{
    size_t count;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    fill_runs_of_history(RUNS, 0);
    runs[3].decision.is_failed = true;
    const size_t *accepted = tp_history_accepted_runs(&count, runs, RUNS, &arena);
    assert_int_equal(count, TP_ACCEPTED_RUNS);
    assert_int_equal(accepted[2], 2);
    assert_int_equal(accepted[3], 4);
    runs[20].decision = (struct tp_run_decision){.is_failed = true, .is_accepted = true};
    runs[22].decision.is_failed = true;
    accepted = tp_history_accepted_runs(&count, runs, RUNS, &arena);
    assert_int_equal(tp_history_first_accepted_run(runs, RUNS), 20);
    assert_int_equal(count, 9); /* the level comes from runs 20 to the newest one, without runs that failed */
    assert_int_equal(accepted[0], 20);
    assert_int_equal(accepted[2], 23);
}

static void change_is_located_between_its_runs(void **state)
{
    struct tp_level_series series[TP_LEVEL_SERIES];
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (size_t from = 5; from < RUNS - 3; from++)
        for (size_t off = 1; off < from - 1; off++) {
            fill_runs_of_history(from, 0.02);
            make_run_slower(off);
            tp_history_find_levels(series, runs, RUNS, &arena);
            const struct tp_level_series *s = &series[TP_BENCH_STEP];
            assert_int_equal(s->step_count, 1);
            assert_int_equal(s->steps[0].before, from - 1);
            assert_int_equal(s->steps[0].after, from);
            assert_true(fabs(s->steps[0].change - 0.02) < 0.004);
            if (from >= 4)
                for (size_t i = 0; i < RUNS; i++)
                    assert_int_equal(s->is_outlier[i], i == off);
        }
}

/* Tests three commits of which the second one ran last, and a run with an unknown commit that started after all of
 * them. */
static void runs_are_sorted_by_commit(void **state)
{
    static const int64_t started[] = {100, 110, 130, 120}, committed[] = {10, 30, 20, 0};
    const int64_t epoch = 1767225600;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    fill_runs_of_history(RUNS, 0);
    for (size_t i = 0; i < 4; i++) {
        summaries[i].start_ns = (epoch + started[i]) * 1000000000;
        runs[i].decision.committed_s = committed[i] ? epoch + committed[i] : 0;
    }
    tp_history_sort(runs, 4, &arena);
    assert_ptr_equal(runs[0].items, &summaries[0]);
    assert_ptr_equal(runs[1].items, &summaries[2]);
    assert_ptr_equal(runs[2].items, &summaries[1]);
    assert_ptr_equal(runs[3].items, &summaries[3]);
}

static void newest_run_is_compared_with_accepted_level(void **state)
{
    struct tp_level_series series[TP_LEVEL_SERIES];
    (void)state;
    if (setjmp(arena.guard))
        fail();
    fill_runs_of_history(RUNS, 0);
    tp_history_find_levels(series, runs, RUNS, &arena);
    assert_int_equal(series[TP_BENCH_STEP].step_count, 0);
    assert_int_equal(series[TP_BENCH_KERNELS].known_count, 0);
    assert_true(series[TP_BENCH_STEP].newest.low < 0 && series[TP_BENCH_STEP].newest.high > 0);
    fill_runs_of_history(RUNS - 1, 0.1);
    tp_history_find_levels(series, runs, RUNS, &arena);
    assert_true(series[TP_BENCH_STEP].newest.low > 0.05 && series[TP_BENCH_STEP].newest.base_count == 10);
    assert_int_equal(series[TP_BENCH_STEP].step_count, 0); /* one longer run is not a new level */
    tp_history_find_levels(series, runs, 1, &arena);
    assert_int_equal(series[TP_BENCH_STEP].newest.base_count, 0);
    fill_runs_of_history(2,
                         0.9); /* the machine can make one of three wall-clock runs slower, so four runs are needed */
    tp_history_find_levels(series, runs, 3, &arena);
    assert_int_equal(series[TP_BENCH_STEP].newest.base_count, 0);
    fill_runs_of_history(3, 0.9);
    tp_history_find_levels(series, runs, 4, &arena);
    assert_int_equal(series[TP_BENCH_STEP].newest.base_count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_runs_define_no_level),
        cmocka_unit_test(runs_are_sorted_by_commit),
        cmocka_unit_test(change_is_located_between_its_runs),
        cmocka_unit_test(newest_run_is_compared_with_accepted_level),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
