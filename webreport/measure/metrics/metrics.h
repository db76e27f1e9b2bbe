/* The named numbers of a run that a budget can limit: `tracepress check --list-metrics`.
 *
 * Each one is a number of `report --json`, or computed from a few of them by the formula in its row (metrics_rows.h).
 * Steps are those of the overview; a trace without step marks is one step. */
#ifndef TP_WEBREPORT_MEASURE_METRICS_METRICS_H
#define TP_WEBREPORT_MEASURE_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"

enum tp_metric_unit {
    TP_UNIT_COUNT, /* a number of things, per step if the name contains it */
    TP_UNIT_NS,    /* durations */
    TP_UNIT_BYTES,
    TP_UNIT_PERCENT /* 0 to 100 */
};

/* A metric of one run. NaN: the trace does not contain it, and `why` says what is missing (a static text); never 0
 * instead. */
struct tp_metric_value {
    double value;
    const char *why;
};

/* All borrowed. The views contain the memory view, the model its arena, whose guard is set. */
struct tp_metric_source {
    const struct tp_views *views;
    const struct tp_advice *advice;
    const struct tp_model *model;
};

struct tp_metric {
    const char *name; /* "step.time.median" */
    enum tp_metric_unit unit;
    bool is_timed; /* measured by a clock: compared with a baseline by statistics. false: a count, compared exactly */
    bool is_lower_better;
    unsigned needs;    /* bits of enum tp_need: if one is missing, the metric cannot be judged. 0: describes the damage
                        * itself */
    const char *title; /* one line that describes it */
    const char *json;  /* the members of a profile in `report --json` that it is computed from */
    struct tp_metric_value (*value)(const struct tp_metric_source *source, int which);
    int which; /* for `value`: column, category, rule and so on */
};

enum {
    TP_METRIC_COUNT = 0
#define METRIC(name, unit, needs, title, json, function, which) +1
#include "webreport/measure/metrics/metrics_rows.h"
};

extern const struct tp_metric tp_metrics[TP_METRIC_COUNT];

/* Computes all metrics of one run, in the order of tp_metrics. */
void tp_metrics_build(struct tp_metric_value values[TP_METRIC_COUNT], const struct tp_metric_source *source);

/* Returns the index of the metric with this name; -1: there is none. */
int tp_metric_find(const char *name, size_t length);
/* Does the same faster for names that mostly come in the order of the table. *near: 0 at first. */
int tp_metric_find_near(const char *name, size_t length, int *near);

/* Returns the name nearest to a mistyped one (by edits); NULL when no name is near. */
const char *tp_metric_nearest(const char *name, size_t length);

/* Returns whether the value of a metric depends on where steps begin and end: times, shares and numbers per step. */
bool tp_metric_is_of_steps(const struct tp_metric *metric);
/* Returns whether only recordings from outside have the metric. */
bool tp_metric_is_of_program(const struct tp_metric *metric);

/* Returns whether the metric is unknown and of a class of steps, or of a kind of recording, that most programs do not
 * have. Such metrics are left out of lists and files. */
bool tp_metric_is_left_out(const struct tp_metric *metric, double value);

/* Returns whether lists for people show a metric of a smaller size in its place. */
bool tp_metric_is_like_smaller(const struct tp_metric *metric);

/* Returns the title of a metric; for a finding's metric the title of its rule. */
const char *tp_metric_title(const struct tp_metric *metric);

/* Returns "count", "ns", "bytes" or "%". Static. */
const char *tp_metric_unit_text(enum tp_metric_unit unit);

#endif
