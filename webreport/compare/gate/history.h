/* Stored runs in their order, and what their levels did: which one is accepted, where it changed for good, what is off.
 *
 * Limits are held against the accepted level, which never rolls (level_history.h): the first runs, or the first since
 * somebody accepted a change. Runs that broke a limit are part of the history, but of no accepted level. */
#ifndef TP_WEBREPORT_COMPARE_GATE_HISTORY_H
#define TP_WEBREPORT_COMPARE_GATE_HISTORY_H

#include "webreport/compare/bench/bench.h"
#include "webreport/compare/noise/level_history.h"
#include "webreport/measure/summary/summary.h"

/* A stored run: what a `.tps` file holds, one process or the ranks of a job. */
struct tp_history_run {
    struct tp_str label; /* name of the file without .tps */
    const struct tp_summary *items;
    size_t count; /* above 0 */
    struct tp_run_decision decision;
};

/* Orders the runs: by the time of their commit, of those without one by the time they began, where all tell one or the
 * other; else by label. Runs of one commit stand in the order they were made. arena: scratch. */
void tp_history_sort(struct tp_history_run *runs, size_t count, struct tp_arena *arena);

/* Number of the run with which the accepted level begins. */
size_t tp_history_accepted_from(const struct tp_history_run *runs, size_t count);
/* Numbers of the runs of the accepted level, at most TP_ACCEPTED_RUNS, ascending; *accepted_count: how many. */
size_t *tp_history_accepted(size_t *accepted_count, const struct tp_history_run *runs, size_t count,
                            struct tp_arena *arena);

/* Between two neighbours of the runs that tell a level it changed for good. */
struct tp_level_step {
    size_t before, after; /* runs */
    double change;        /* relative, from level to level */
};

/* One quantity over the runs. */
struct tp_level_series {
    enum tp_bench_quantity quantity; /* the step, its kernels, its operators on the host */
    double *levels;                  /* by run, logarithms of ns; NaN: not told */
    bool *is_outlier;                /* by run: far off its neighbours, and alone */
    size_t known_count;
    struct tp_level_step *steps; /* in order */
    size_t step_count;
    double accepted;                /* logarithm of ns; NaN: no run of the accepted level tells it */
    struct tp_run_change newest;    /* the newest run against the accepted level; base_count 0: not known */
    double autocorrelation;         /* of the levels about their own mean; NaN with fewer than 8 */
};

enum { TP_LEVEL_SERIES = TP_BENCH_HOST_OPS + 1 };

/* Fills a series for each of the quantities. Results live in the arena. */
void tp_history_levels(struct tp_level_series series[TP_LEVEL_SERIES], const struct tp_history_run *runs, size_t count,
                       struct tp_arena *arena);

#endif
