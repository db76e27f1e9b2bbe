/* The named numbers of a run that a budget can limit, as `tracepress check --list-metrics` lists them.
 *
 * Each metric is a number of `report --json`, or is computed from a few of them by the formula in its row
 * (metrics_rows.h). Steps are the used steps of the overview; a trace without step marks counts as one step. */
#ifndef TP_WEBREPORT_MEASURE_METRICS_METRICS_H
#define TP_WEBREPORT_MEASURE_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"

enum tp_metric_unit {
    TP_UNIT_COUNT, /* a number of things; it is per step if the name of the metric contains "step" */
    TP_UNIT_NS,    /* durations */
    TP_UNIT_BYTES,
    TP_UNIT_PERCENT /* 0 to 100 */
};

/* Why a metric is unknown; webreport/document/words/reason_words.c has the sentences. */
enum tp_metric_reason {
    TP_REASON_NONE, /* it is known, or `why` comes from a summary */
    TP_REASON_NO_STEPS,
    TP_REASON_NO_EVENTS,
    TP_REASON_NO_LENGTH, /* the steps have no length */
    TP_REASON_NO_DEVICE,
    TP_REASON_NO_KERNELS,
    TP_REASON_NOT_IN_KERNELS, /* the kernels do not show it */
    TP_REASON_OF_TWO_RUNS,    /* only the work of two runs shows it */
    TP_REASON_NO_SERVING,     /* no steps of a serving engine of that phase and size */
    TP_REASON_NO_PROGRAM,     /* not one program recorded from outside */
    TP_REASON_NO_LOOK,        /* no process lived until its memory was read */
    TP_REASON_OF_FUNCTION,    /* only a named function of a program has it */
    TP_REASON_NO_RUNTIME,
    TP_REASON_NO_OPERATORS,
    TP_REASON_NO_DIRECTION,   /* copies without a direction */
    TP_REASON_NO_MEMORY_KIND, /* copies without the kind of the host's memory */
    TP_REASON_NO_SIZES,       /* copies without sizes */
    TP_REASON_NO_HOST_MEMORY,
    TP_REASON_NO_DEVICE_MEMORY,
    TP_REASON_FEW_MEMORY_STEPS,
    TP_REASON_NO_MEMORY_TOTALS,
    TP_REASON_NO_COMMUNICATION,
    TP_REASON_NOTHING_TO_JUDGE,
    TP_REASON_NOT_EVALUATED,       /* the rule was not evaluated */
    TP_REASON_DEVICE_NOT_RECORDED, /* the program used a device whose work is not recorded */
    TP_REASON_UNJUDGED,            /* most of the steps cannot be judged */
    TP_REASON_NOT_STORED,          /* a summary without the metric */
    TP_REASON_RATES,               /* from here on: by enum tp_rate_reason */
    TP_METRIC_REASONS = TP_REASON_RATES + TP_RATE_REASONS
};

/* A metric of one run. value: NaN, never 0, if the trace does not contain the metric. why: the reason as a sentence,
 * static or from a summary; reserved for webreport/document/words, which fills it (tp_word_metrics). */
struct tp_metric_value {
    double value;
    enum tp_metric_reason reason;
    const char *why;
};

/* The input of all metrics, borrowed. `views` contains the memory view; `model` contains the arena, whose guard is
 * set. */
struct tp_metric_source {
    const struct tp_views *views;
    const struct tp_advice *advice;
    const struct tp_model *model;
};

struct tp_metric {
    const char *name; /* such as "step.time.median" */
    enum tp_metric_unit unit;
    bool is_timed; /* true: measured by a clock, so statistics compare it with a baseline. false: a count, compared
                    * exactly */
    bool is_lower_better;
    unsigned needs; /* bits of enum tp_need: without one of these the metric cannot be judged. 0: the metric describes
                     * the damage itself */
    const char *title; /* one line that describes it */
    const char *json;  /* members of a profile in `report --json` that the metric is computed from */
    struct tp_metric_value (*value)(const struct tp_metric_source *source, int which);
    int which; /* argument of `value`: column, category, rule and so on */
};

enum {
    TP_METRIC_COUNT = 0
#define METRIC(name, unit, needs, title, json, function, which) +1
#include "webreport/measure/metrics/metrics_rows.h"
};

extern const struct tp_metric tp_metrics[TP_METRIC_COUNT];

/* Computes all metrics of one run, in the order of tp_metrics. */
void tp_metrics_build(struct tp_metric_value values[TP_METRIC_COUNT], const struct tp_metric_source *source);

/* Returns the index of the metric with this name, or -1. */
int tp_metric_find(const char *name, size_t length);
/* Returns the same as tp_metric_find; faster for names that are mostly in the order of the table. *near: 0 before the
 * first call. */
int tp_metric_find_near(const char *name, size_t length, int *near);

/* Returns the name with the fewest edits to a mistyped one; NULL if no name is near. */
const char *tp_metric_nearest(const char *name, size_t length);

/* Returns whether a metric depends on the borders of steps: times, shares and numbers per step. */
bool tp_metric_is_of_steps(const struct tp_metric *metric);
/* Returns whether the metric exists only for programs recorded from outside. */
bool tp_metric_is_of_program(const struct tp_metric *metric);

/* Returns whether lists and files omit the metric: its value is unknown, and most programs lack its class of steps or
 * its kind of recording. */
bool tp_metric_is_left_out(const struct tp_metric *metric, double value);

/* Returns whether lists for people omit the metric because they show the same metric of a smaller size. */
bool tp_metric_repeats_smaller(const struct tp_metric *metric);

/* Returns the title of a metric; for a finding's metric the title of its rule. */
const char *tp_metric_title(const struct tp_metric *metric);

/* Returns "count", "ns", "bytes" or "%". Static. */
const char *tp_metric_unit_text(enum tp_metric_unit unit);

#endif
