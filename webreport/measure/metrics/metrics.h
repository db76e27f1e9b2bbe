/* Defines the named metrics of a run that a budget can limit. `tracepress check --list-metrics` lists them.
 *
 * Each metric is a number of `report --json`, or a value that the formula in its row (metrics_rows.h) computes from
 * several of these numbers. Metrics per step use the analysed steps of the overview; a trace without step marks is one
 * step. */
#ifndef TP_WEBREPORT_MEASURE_METRICS_METRICS_H
#define TP_WEBREPORT_MEASURE_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/trace/input_facts.h"

enum tp_metric_unit {
    TP_UNIT_COUNT, /* count, per step if the metric's name contains "step" */
    TP_UNIT_NS,    /* duration, ns */
    TP_UNIT_BYTES,
    TP_UNIT_PERCENT /* percentage from 0 to 100 */
};

/* reason why a metric is unknown; webreport/document/words/reason_words.c has the sentences */
enum tp_metric_reason {
    TP_REASON_NONE, /* the metric is known, or its reason is the text `why` from a summary */
    TP_REASON_NO_STEPS,
    TP_REASON_NO_EVENTS,
    TP_REASON_NO_LENGTH, /* the steps have length 0 */
    TP_REASON_NO_DEVICE,
    TP_REASON_NO_KERNELS,
    TP_REASON_NOT_IN_KERNELS,    /* the kernels have no data on the occupancy of the device */
    TP_REASON_NEEDS_TWO_RUNS,    /* the metric compares the work of two runs, so one run does not have it */
    TP_REASON_NO_SERVING,        /* the trace has no steps of a serving engine with the phase and size of the metric */
    TP_REASON_NO_PROGRAM,        /* the run has no program recorded from outside, or has several */
    TP_REASON_NO_MEMORY_READING, /* no process lived long enough for its memory to be read */
    TP_REASON_NEEDS_FUNCTION,    /* the metric needs the name of a function of a program recorded from outside */
    TP_REASON_NEEDS_RANGE,       /* the metric needs the name of a range */
    TP_REASON_NEEDS_SNAPSHOT,    /* only memory snapshots have the metric */
    TP_REASON_NEEDS_CHANGE,      /* the metric needs a change, such as "host=1/2" */
    TP_REASON_NOT_REPLAYED,      /* no metric of the critical path was needed when the trace was read */
    TP_REASON_NO_RUNTIME,
    TP_REASON_NO_OPERATORS,
    TP_REASON_NO_DIRECTION,   /* the trace has copies without a direction */
    TP_REASON_NO_MEMORY_KIND, /* the trace has copies, but does not record whether their host memory is pageable */
    TP_REASON_NO_SIZES,       /* the trace has copies without sizes */
    TP_REASON_NO_HOST_MEMORY,
    TP_REASON_NO_DEVICE_MEMORY,
    TP_REASON_FEW_MEMORY_STEPS,
    TP_REASON_NO_MEMORY_TOTALS,
    TP_REASON_NO_COMMUNICATION,
    TP_REASON_NO_POWER, /* the trace has no samples of the devices' power, or too few */
    TP_REASON_NOTHING_TO_JUDGE,
    TP_REASON_NOT_EVALUATED,       /* the rule of the metric was not evaluated */
    TP_REASON_DEVICE_NOT_RECORDED, /* the program used a device, but the trace has no device operations */
    TP_REASON_UNJUDGED,            /* most of the step time cannot be analysed */
    TP_REASON_NOT_STORED,          /* the summary does not contain the metric */
    /* first of the reasons why the answers of a replay are withheld: TP_REASON_WITHHELD + enum tp_withheld */
    TP_REASON_WITHHELD,
    /* first of the reasons why a rate is unknown: TP_REASON_RATES + enum tp_rate_reason */
    TP_REASON_RATES = TP_REASON_WITHHELD + TP_WITHHELD_REASONS,
    /* first of the reasons that the input cannot show the data: TP_REASON_INPUT + number of the bit of enum tp_unknown
     */
    TP_REASON_INPUT = TP_REASON_RATES + TP_RATE_REASONS,
    TP_METRIC_REASONS = TP_REASON_INPUT + TP_UNKNOWN_KINDS
};

/* The value of a metric in one run. value: NaN, never 0, if the trace does not contain the metric. why: the reason as a
 * sentence, static or from a summary. Only tp_fill_metric_texts in webreport/document/words fills `why`. */
struct tp_metric_value {
    double value;
    enum tp_metric_reason reason;
    const char *why;
};

/* The input of all metrics; the caller owns all members. `views` includes the memory view. The guard of the arena in
 * `model` must be set. */
struct tp_metric_source {
    const struct tp_views *views;
    const struct tp_advice *advice;
    const struct tp_model *model;
};

struct tp_metric {
    const char *name; /* name of the metric, such as "step.time.median" */
    enum tp_metric_unit unit;
    /* true: a clock measured the value, so a comparison with a baseline uses statistics. false: a count, compared
     * exactly */
    bool is_timed;
    bool is_lower_better;
    /* bits of enum tp_need: evidence that a limit on the metric needs; 0 for metrics that describe the damage of an
     * input */
    unsigned needs;
    const char *title; /* one line that describes the metric */
    const char *json;  /* members of a profile in `report --json` from which the metric is computed */
    struct tp_metric_value (*value)(const struct tp_metric_source *source, int which);
    int which; /* argument of `value`, such as a column, a category or a rule */
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
/* Returns the same as tp_metric_find, but faster if the caller asks for names in the order of the table. *near is 0
 * before the first call. */
int tp_metric_find_nearest(const char *name, size_t length, int *near);

/* Returns the metric name that is most similar to a mistyped name; NULL if none is similar. */
const char *tp_metric_nearest_name(const char *name, size_t length);

/* Returns whether a metric depends on the borders of steps. Times, shares and counts per step do. */
bool tp_metric_is_step_metric(const struct tp_metric *metric);
/* Returns whether the metric exists only for programs recorded from outside. */
bool tp_metric_is_program_metric(const struct tp_metric *metric);

/* Returns whether the metric needs a replay of the trace (webreport/what_if/what_if_view.h). */
bool tp_metric_is_replay_metric(const struct tp_metric *metric);

/* Returns whether the metric exists only for memory snapshots. */
bool tp_metric_is_snapshot_metric(const struct tp_metric *metric);

/* Returns whether lists and files omit the metric. They omit unknown values of metrics that most programs lack: classes
 * of serving steps, special kinds of recordings, and replays. */
bool tp_metric_is_omitted(const struct tp_metric *metric, double value);

/* Returns whether lists for people omit the metric, because these lists already show the same metric for a smaller
 * size. */
bool tp_metric_is_larger_duplicate(const struct tp_metric *metric);

/* Returns the title of a metric. The metric of a finding has the title of its rule. */
const char *tp_metric_title(const struct tp_metric *metric);

/* Returns the unit as text: "count", "ns", "bytes" or "%". Static. */
const char *tp_metric_unit_text(enum tp_metric_unit unit);

#endif
