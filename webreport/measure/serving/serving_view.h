/* Steps of engines that serve models, and their classes: how long, how busy, how many tokens a second
 * (docs/definitions.md, section 21).
 *
 * A step is a range that serving_marks.h reads, with those inside it; its work is what was launched in it. */
#ifndef TP_WEBREPORT_MEASURE_SERVING_SERVING_VIEW_H
#define TP_WEBREPORT_MEASURE_SERVING_SERVING_VIEW_H

#include "webreport/measure/serving/serving_marks.h"
#include "webreport/measure/work/work_costs.h"
#include "webreport/measure/work/work_kinds.h"
#include "writer/base/fields.h"

enum tp_serving_step_column {
    TP_SERVED_NAME,
    TP_SERVED_PHASE,
    TP_SERVED_CLASS,
    TP_SERVED_REQUESTS, /* from here on as enum tp_serving_number */
    TP_SERVED_START = TP_SERVED_REQUESTS + TP_SERVING_NUMBERS,
    TP_SERVED_HOST,
    TP_SERVED_SPAN,
    TP_SERVED_TIME,
    TP_SERVED_BUSY,
    TP_SERVED_OUTSIDE,
    TP_SERVED_QUEUED,
    TP_SERVED_GAP,
    TP_SERVED_OPERATIONS,
    TP_SERVED_GRAPHS,
    TP_SERVED_GRAPH_OPERATIONS,
    TP_SERVED_RATE,
    TP_SERVED_COLUMNS
};

enum tp_serving_class_column {
    TP_SERVING_CLASS_NAME,
    TP_SERVING_CLASS_STEPS,
    TP_SERVING_CLASS_P50,
    TP_SERVING_CLASS_P90,
    TP_SERVING_CLASS_BUSY,
    TP_SERVING_CLASS_GAP,
    TP_SERVING_CLASS_GRAPHS,
    TP_SERVING_CLASS_RATE,
    TP_SERVING_CLASS_BOUND,
    TP_SERVING_CLASS_OF_BOUND,
    TP_SERVING_CLASS_KINDS,
    TP_SERVING_CLASS_COLUMNS
};

/* Sizes of classes are powers of two up to 1 << (TP_SERVING_SIZES - 1). */
enum { TP_SERVING_SIZES = 21 };

struct tp_serving_view {
    bool is_present;         /* the trace has such steps */
    struct tp_table steps;   /* in order of time */
    struct tp_table classes; /* by phase, then size: of steps with device work */
    /* Quantiles by phase and size (as exponent of two), nanoseconds; TP_NULL_INT: no such class. */
    int64_t p50_ns[TP_SERVING_PHASES][TP_SERVING_SIZES], p90_ns[TP_SERVING_PHASES][TP_SERVING_SIZES];
    double tokens_per_s[TP_SERVING_PHASES]; /* of all steps of the phase together; NaN: none, or nobody knows */
    int64_t weight_bytes; /* that the products of one pass read, the most of all steps; TP_NULL_INT: no shapes */
    bool has_shorter_steps; /* the p50 of a class is below weight_ns */
    int64_t weight_ns;    /* as long as the device's memory needs for them; TP_NULL_INT: nobody knows */
};

/* A view without steps. */
void tp_serving_none(struct tp_serving_view *view);

/* In `arena` (guard set by the caller); what the model holds must outlive it. */
void tp_serving_build(struct tp_serving_view *view, const struct tp_work_kinds *kinds,
                      const struct tp_work_units *units, struct tp_arena *arena);

extern const struct tp_fields tp_serving_fields;

#endif
