/* Checks a run against a budget. Each line of the budget compares a metric of the run with a limit, or with a baseline.
 *
 * Counts and absolute limits are compared exactly. Times relative to a baseline are judged by the change between runs
 * and its 99 % interval (run_change.h). A limit fails if the whole interval is beyond it, and passes if the whole
 * interval is within it. Otherwise the limit is inconclusive, and the reason names the number of runs that would decide
 * it. If nothing changed, one of a hundred checks fails by chance. This rate applies to all limits on times together
 * (Holm's correction). Times are compared with the accepted level, which the first runs of a baseline define and which
 * stays fixed; later runs contribute only to the estimate of the noise.
 *
 * Lines against a baseline are inconclusive if the sides are not comparable. A damaged input never makes a line pass or
 * fail (webreport/compare/two/damage.h). The line is inconclusive if an input lost events that its metric needs, or if
 * a rank of the job is missing. A line is also inconclusive if a trace lacks its metric, unless the line is optional or
 * a warning.
 *
 * Several runs of one program are samples. Runs of different ranks are separate subjects; each is compared with the
 * same rank of the baseline. Results are in the given arena; texts belong to the summaries. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/budget.h"
#include "webreport/compare/work/work_diff.h"
#include "webreport/measure/summary/summary.h"

enum tp_check_status {
    TP_CHECK_PASS,
    TP_CHECK_WARN, /* a limit of a `warn` line is broken */
    /* an input is damaged or lacks the metric, the noise is too large, or no comparable baseline exists */
    TP_CHECK_INCONCLUSIVE,
    TP_CHECK_FAIL,
    TP_CHECK_STATUS_COUNT
};

/* Reason for the status of an item. Scripts read its name (tp_check_cause_text). */
enum tp_check_cause {
    TP_CAUSE_WITHIN,      /* the value is within the limit */
    TP_CAUSE_BEYOND,      /* the value is beyond the limit */
    TP_CAUSE_NOISE,       /* inconclusive: the noise of these runs is too large */
    TP_CAUSE_MISSING,     /* inconclusive: the trace lacks the metric; events may be lost */
    TP_CAUSE_DAMAGED,     /* inconclusive: an input lost events that the metric needs */
    TP_CAUSE_SKIPPED,     /* passed: an optional line whose metric or worker is missing */
    TP_CAUSE_NO_BASELINE, /* inconclusive: no baseline was given */
    /* inconclusive: the workload differs or is unknown, for example another GPU or batch size */
    TP_CAUSE_NOT_COMPARABLE,
    TP_CAUSE_COUNT
};

/* Place in the source code, for annotations of a failed line. */
struct tp_check_place {
    struct tp_str rule;      /* id of the rule of the finding, such as "A5"; "" without a finding */
    struct tp_str file_line; /* text such as "train.py(88): step" */
    struct tp_str text;      /* description for people */
    struct tp_str operator;  /* name of the operator that was added or changed at the place, or "" */
    /* the change is at call `nth` of the operator's `calls` calls, as in struct tp_work_change */
    uint32_t nth, calls;
};

struct tp_check_item {
    const struct tp_budget_line *line;
    struct tp_str subject; /* "rank 3" or the name of a worker; "" if all runs are samples of one subject */
    enum tp_check_status status;
    enum tp_check_cause cause;
    /* values of the run and the baseline, in the metric's unit; NaN if unknown or without a baseline */
    double value, base_value;
    /* change in %, or in the metric's unit for TP_LIMIT_DELTA, and its 99 % interval; NaN if not computed */
    double change, low, high;
    /* smallest change that this number of runs detects, in the unit of `change`; NaN for metrics without noise */
    double detectable;
    size_t base_runs, runs; /* number of baseline runs and of new runs from which the interval is computed */
    /* probability of a change this large if the true value equals the limit; NaN for metrics without noise */
    double chance;
    const char *reason;   /* sentence for people that explains the status, or "" */
    bool is_data_unknown; /* true for TP_CAUSE_DAMAGED if an input cannot show data that the other side shows */
    struct tp_check_place *places;
    uint32_t place_count;
};

/* A change in the work of one step. */
struct tp_check_change {
    struct tp_str subject; /* name of the subject, as in struct tp_check_item */
    struct tp_work_change change;
};

struct tp_check_side {
    const char *name;               /* name of the side as shown to users; NULL if the side does not exist */
    const struct tp_summary *items; /* summaries sorted by time, newest last */
    size_t count;
    bool is_one_trace; /* true: the user named a single trace, so that other ranks of its job are not expected */
};

struct tp_check_input {
    const struct tp_budget *budget;
    struct tp_check_side run, base;
    bool is_first;       /* true: there is no baseline, and this run becomes its first run */
    bool is_base_broken; /* true: every run of the baseline broke a limit when it was stored */
};

struct tp_check {
    const struct tp_check_input *input;
    /* check items, sorted by status (failed first), then in the order of the budget and the ranks */
    struct tp_check_item *items;
    size_t count, counts[TP_CHECK_STATUS_COUNT];
    enum tp_check_status verdict; /* the worst status, in the order fail, inconclusive, warn, pass */
    /* true: the verdict is inconclusive because of damage, a missing metric or missing ranks */
    bool is_damaged;
    bool lacks_baseline; /* true: the verdict is inconclusive because a baseline is missing */
    /* workload of the subject whose sides are least comparable; TP_WORKLOAD_SAME without a baseline */
    enum tp_workload workload;
    const char *differs;             /* facts that make the workload differ, or "" */
    struct tp_check_change *changes; /* changes in the work of one step, grouped by subject */
    size_t change_count;
};

enum {
    TP_CHECK_PLACES = 10,
    TP_CHECK_KEYS = 8,           /* largest number of work changes that are listed as places of one line */
    TP_CHECK_HISTORY_RUNS = 200, /* largest number of runs of a rank; the newest runs are used */
    TP_CHECK_FACT_RUNS = 10,     /* number of newest runs whose facts show whether the sides are comparable */
    TP_CHECK_COUNT_RUNS = 3,     /* number of newest baseline runs with which counts are compared */
};

/* Returns "pass", "warn", "inconclusive" or "fail". The text is static. */
const char *tp_check_status_text(enum tp_check_status status);
/* Returns "within", "beyond", "noise", "missing", "damaged", "skipped", "no_baseline" or "not_comparable". The text
 * is static. */
const char *tp_check_cause_text(enum tp_check_cause cause);

#endif
