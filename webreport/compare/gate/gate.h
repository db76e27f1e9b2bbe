/* Checks a run against a budget: each line compares a metric of the run with a limit, or with a baseline.
 * Counts and absolute limits are compared as they are. Times relative to a baseline are judged by their runs
 * (run_change.h): a limit fails if the whole 99 % interval of the change is beyond it, passes if the whole interval is
 * within it, and is inconclusive otherwise, with the number of runs that would decide it. All limits on times together
 * fail by chance in one of a hundred checks (Holm). Times are compared with the accepted level, the first runs of a
 * baseline, which stays fixed; later runs contribute to the noise. Lines against a baseline are inconclusive if the
 * sides are not comparable.
 * Damage never decides (webreport/compare/two/damage.h): a line is inconclusive if an input lost events that its metric
 * needs, or if a rank of the job is missing. The same applies if a trace lacks the metric, unless the line is optional
 * or a warning.
 * Several runs of one program are samples. Runs of different ranks are separate subjects, each compared with the same
 * rank of the baseline. Results are in the arena given; texts belong to the summaries. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/budget.h"
#include "webreport/compare/work/work_diff.h"
#include "webreport/measure/summary/summary.h"

enum tp_check_status {
    TP_CHECK_PASS,
    TP_CHECK_WARN,         /* beyond the limit of a line of level warn */
    TP_CHECK_INCONCLUSIVE, /* the input is damaged or lacks the metric, or no comparable baseline exists */
    TP_CHECK_FAIL,
    TP_CHECK_STATUS_COUNT
};

/* Reason for the status of an item, as a word for scripts. */
enum tp_check_cause {
    TP_CAUSE_WITHIN,         /* the value is within the limit */
    TP_CAUSE_BEYOND,         /* the value is beyond the limit */
    TP_CAUSE_NOISE,          /* the noise of these runs is too large; inconclusive */
    TP_CAUSE_MISSING,        /* the trace has no such metric, which may be lost; inconclusive */
    TP_CAUSE_DAMAGED,        /* an input lost events that the metric needs; inconclusive */
    TP_CAUSE_SKIPPED,        /* an optional line without its metric, or no subject has the line's worker */
    TP_CAUSE_NO_BASELINE,    /* no baseline was given */
    TP_CAUSE_NOT_COMPARABLE, /* another GPU, batch .. */
    TP_CAUSE_COUNT
};

/* Place in the source code, for annotations. */
struct tp_check_place {
    struct tp_str rule;      /* rule of a finding ("A5"), or "" */
    struct tp_str file_line; /* "train.py(88): step" */
    struct tp_str text;      /* description of the place */
    struct tp_str operator;  /* operator that was added or changed there, or "" */
    uint32_t nth, calls;     /* of the operator, as in struct tp_work_change */
};

struct tp_check_item {
    const struct tp_budget_line *line;
    struct tp_str subject; /* "rank 3" or a worker's name; "" if all runs are samples of one subject */
    enum tp_check_status status;
    enum tp_check_cause cause;
    double value, base_value; /* in the metric's unit; NaN if unknown, or without a baseline */
    /* %, or the metric's unit for TP_LIMIT_DELTA; low, high: 99 % interval; NaN if not computed */
    double change, low, high;
    /* smallest change that such runs detect, in the same unit; NaN if the value is compared as it is */
    double sees;
    size_t base_runs, runs;   /* number of runs behind the interval */
    /* probability of this excess if the true value equals the limit; NaN if compared as it is */
    double chance;
    const char *reason;       /* a sentence, or "" */
    struct tp_check_place *places;
    uint32_t place_count;
};

/* A change of the work of a step. */
struct tp_check_change {
    struct tp_str subject; /* as in tp_check_item */
    struct tp_work_change change;
};

struct tp_check_side {
    const char *name;               /* name as shown; NULL without this side */
    const struct tp_summary *items; /* sorted by time, newest last */
    size_t count;
    bool is_one_trace; /* the user named a single trace, so other ranks of its job are not expected */
};

struct tp_check_input {
    const struct tp_budget *budget;
    struct tp_check_side run, base;
    bool is_first;       /* no baseline exists, and this run becomes its first run */
    bool is_base_broken; /* every run of the baseline broke a limit when it was stored */
};

struct tp_check {
    const struct tp_check_input *input;
    struct tp_check_item *items; /* failed items first, then in the order of the budget and the ranks */
    size_t count, counts[TP_CHECK_STATUS_COUNT];
    enum tp_check_status verdict; /* the worst status, in the order fail, inconclusive, warn, pass */
    bool is_damaged;              /* nothing fails, and a line is inconclusive because of damage or missing ranks */
    bool lacks_baseline;          /* nothing fails, and a line is inconclusive because a baseline is missing */
    enum tp_workload workload;    /* of all subjects the workload that differs most; "same" without baseline */
    const char *differs;          /* the facts that differ, or "" */
    struct tp_check_change *changes; /* changes of the work of a step, subject by subject */
    size_t change_count;
};

enum {
    TP_CHECK_PLACES = 10,
    TP_CHECK_KEYS = 8,           /* changes of work that a line lists */
    TP_CHECK_HISTORY_RUNS = 200, /* newest runs of a rank that are used */
    TP_CHECK_FACT_RUNS = 10,     /* newest runs that decide comparability */
    TP_CHECK_COUNT_RUNS = 3,     /* newest runs that decide counts */
};

/* Returns "pass", "warn", "inconclusive" or "fail". Static. */
const char *tp_check_status_text(enum tp_check_status status);
/* Returns "within", "beyond", "noise" .. Static. */
const char *tp_check_cause_text(enum tp_check_cause cause);

#endif
