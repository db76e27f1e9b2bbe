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

/* The value of a metric in one run. NaN: the trace lacks it, and `why`, a static text, says what is missing. A missing
 * value is never 0. */
struct tp_metric_value {
    double value;
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
bool tp_metric_is_like_smaller(const struct tp_metric *metric);

/* Returns the title of a metric; for a finding's metric the title of its rule. */
const char *tp_metric_title(const struct tp_metric *metric);

/* Returns "count", "ns", "bytes" or "%". Static. */
const char *tp_metric_unit_text(enum tp_metric_unit unit);

#endif
