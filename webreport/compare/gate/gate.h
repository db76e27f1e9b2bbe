/* The verdict on a run: each line of a budget against the run's metrics, and against a baseline's.
 * Counts and limits of their own are judged as they are. Times against a baseline are judged by their runs
 * (run_change.h): a limit fails when the whole 99 % interval of the change is beyond it, holds when the whole interval
 * is within, and is else inconclusive, with the runs that would decide it. Of many limits on times chance breaks one or
 * the other: all together they fail falsely in one of a hundred checks (Holm). Times are held against the accepted
 * level, the first runs of a baseline, which never rolls; the others teach the noise. Sides that cannot be compared
 * make lines against the baseline inconclusive.
 * Damage never decides (webreport/compare/two/damage.h): where an input lacks what a metric needs, or a rank of the job
 * is not there, the line is inconclusive, so that the verdict is that of the whole input or none. The same holds for
 * what a trace does not tell, unless the line is optional or a warning.
 * Several runs of one program are samples. Runs of different ranks are subjects of their own, each compared with the
 * same rank of the baseline. All results live in the arena given; texts are those of the summaries. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/gate/budget.h"
#include "webreport/compare/work/work_diff.h"
#include "webreport/measure/summary/summary.h"

enum tp_check_status {
    TP_CHECK_PASS,
    TP_CHECK_WARN,         /* beyond the limit of a line of level warn */
    TP_CHECK_INCONCLUSIVE, /* the input is damaged or does not tell; no baseline, or none that compares */
    TP_CHECK_FAIL,
    TP_CHECK_STATUS_COUNT
};

/* Why an item has its status: a word for machines. */
enum tp_check_cause {
    TP_CAUSE_WITHIN,         /* the limit holds */
    TP_CAUSE_BEYOND,         /* it does not */
    TP_CAUSE_NOISE,          /* these runs cannot tell: inconclusive */
    TP_CAUSE_MISSING,        /* the trace does not tell: inconclusive, for it may have lost it */
    TP_CAUSE_DAMAGED,        /* what the metric needs is damaged or lost in an input: inconclusive */
    TP_CAUSE_SKIPPED,        /* the same of an optional line, or no subject has the line's worker */
    TP_CAUSE_NO_BASELINE,    /* none was given */
    TP_CAUSE_NOT_COMPARABLE, /* another GPU, batch .. */
    TP_CAUSE_COUNT
};

/* Where in the code something stands: for annotations. */
struct tp_check_place {
    struct tp_str rule;      /* "A5" of a finding; "" */
    struct tp_str file_line; /* "train.py(88): step" */
    struct tp_str text;      /* what is there */
    struct tp_str operator;  /* of changed work: what came or changed there; else "" */
    uint32_t nth, calls;     /* of it, as in struct tp_work_change */
};

struct tp_check_item {
    const struct tp_budget_line *line;
    struct tp_str subject; /* "rank 3", a worker's name; "" when all runs are samples of one */
    enum tp_check_status status;
    enum tp_check_cause cause;
    double value, base_value; /* in the metric's unit; NaN: unknown, or no baseline asked for */
    double change, low, high; /* %, or metric's unit for TP_LIMIT_DELTA; low, high: 99 % interval. NaN: none */
    double sees;              /* the smallest change that such runs find, in the same unit; NaN: judged as it is */
    size_t base_runs, runs;   /* behind the interval */
    double chance;            /* of going as far beyond a limit that just holds; NaN: judged as it is */
    const char *reason;       /* a sentence; "" when the limit holds and there is no more to say */
    struct tp_check_place *places;
    uint32_t place_count;
};

/* A change of the work of a step. */
struct tp_check_change {
    struct tp_str subject; /* as in tp_check_item */
    struct tp_work_change change;
};

struct tp_check_side {
    const char *name;               /* as shown; NULL: there is none */
    const struct tp_summary *items; /* by time: the last ones are the newest */
    size_t count;
    bool is_one_trace; /* a trace that was named itself: other ranks of its job are not expected */
};

struct tp_check_input {
    const struct tp_budget *budget;
    struct tp_check_side run, base;
    bool is_first;       /* there is no baseline, and this run becomes the first of one */
    bool is_base_broken; /* the baseline has no run but such that broke a limit when they were stored */
};

struct tp_check {
    const struct tp_check_input *input;
    struct tp_check_item *items; /* failed ones first, then in the order of the budget and the ranks */
    size_t count, counts[TP_CHECK_STATUS_COUNT];
    enum tp_check_status verdict; /* the worst; a fail is worse than inconclusive, that worse than a warning */
    bool is_damaged;              /* nothing fails, and what would decide is damaged, lost or missing in an input */
    bool lacks_baseline;          /* nothing fails, and there is no baseline for what would decide */
    enum tp_workload workload;    /* the farthest from the same of all subjects; same without baseline */
    const char *differs;          /* the facts that make it so; "" */
    struct tp_check_change *changes; /* of the work of a step, subject by subject */
    size_t change_count;
};

enum {
    TP_CHECK_PLACES = 10,
    TP_CHECK_KEYS = 8,           /* changes of work that a line names */
    TP_CHECK_HISTORY_RUNS = 200, /* of a rank, the newest */
    TP_CHECK_FACT_RUNS = 10,     /* of these, to tell whether both sides compare */
    TP_CHECK_COUNT_RUNS = 3,     /* and for counts */
};

/* Judges; `input` is kept. arena: its guard is the caller's. */
void tp_check_build(struct tp_check *check, const struct tp_check_input *input, struct tp_arena *arena);

/* "pass", "warn", "inconclusive", "fail". */
const char *tp_check_status_text(enum tp_check_status status);
/* "within", "beyond", "noise" .. */
const char *tp_check_cause_text(enum tp_check_cause cause);

#endif
