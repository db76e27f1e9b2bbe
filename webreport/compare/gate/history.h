/* Orders stored runs and analyses their levels: the accepted level, lasting changes, and outliers. Limits compare with
 * the accepted level, which stays fixed (level_history.h). The accepted level has the first runs, or the first runs
 * after a user accepted a change. Runs that broke a limit are part of the history but not of an accepted level. */
#ifndef TP_WEBREPORT_COMPARE_GATE_HISTORY_H
#define TP_WEBREPORT_COMPARE_GATE_HISTORY_H

#include "webreport/compare/bench/bench.h"
#include "webreport/compare/noise/level_history.h"
#include "webreport/measure/summary/summary.h"

/* A stored run: one `.tps` file with one process, or with the ranks of a job. */
struct tp_history_run {
    struct tp_str label; /* name of the run's file without ".tps" */
    const struct tp_summary *items;
    size_t count; /* number of summaries in the run, at least 1 */
    struct tp_run_decision decision;
};

/* Sorts the runs by the time of their commit, or by their start if they have no commit. Sorts by label if any run
 * has neither. Runs of one commit are in the order of their starts. arena: scratch memory. */
void tp_history_sort(struct tp_history_run *runs, size_t count, struct tp_arena *arena);

/* Returns the index of the first run of the accepted level. */
size_t tp_history_first_accepted_run(const struct tp_history_run *runs, size_t count);
/* Returns the indexes of the runs of the accepted level in ascending order, at most TP_ACCEPTED_RUNS.
 * *accepted_count: their number. */
size_t *tp_history_accepted_runs(size_t *accepted_count, const struct tp_history_run *runs, size_t count,
                                 struct tp_arena *arena);

/* A lasting change of the level between two neighboring runs. */
struct tp_level_step {
    size_t before, after; /* index of the last run before the change, and of the first run after it */
    double change;        /* relative change from the level before to the level after; 0.03 is an increase of 3 % */
};

/* Levels of one quantity over the stored runs. */
struct tp_level_series {
    enum tp_bench_quantity quantity; /* TP_BENCH_STEP, TP_BENCH_KERNELS or TP_BENCH_HOST_OPS */
    double *levels;                  /* for each run: logarithm of the level in ns; NaN if unknown */
    bool *is_outlier;                /* for each run: true if the run's level is far from the levels of its neighbors */
    size_t known_count;
    struct tp_level_step *steps; /* lasting changes in the order of the runs */
    size_t step_count;
    double accepted; /* accepted level, as a logarithm of ns; NaN if no accepted run has the quantity */
    /* change of the newest run relative to the accepted level; base_count is 0 if unknown */
    struct tp_run_change newest;
    /* autocorrelation of neighboring runs; 0 if runs are independent, NaN with fewer than 8 known levels */
    double autocorrelation;
};

enum { TP_LEVEL_SERIES = TP_BENCH_HOST_OPS + 1 };

/* Fills one series for each quantity. The results are in the arena. */
void tp_history_find_levels(struct tp_level_series series[TP_LEVEL_SERIES], const struct tp_history_run *runs,
                            size_t count, struct tp_arena *arena);

#endif
