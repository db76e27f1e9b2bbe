/* The steps of serving engines and classes of these steps: duration, busy time, tokens per second (docs/definitions.md,
 * section 21).
 *
 * A step is a range whose name serving_marks.h can read, together with the ranges inside. All device work that the host
 * launches during the range belongs to the step. */
#ifndef TP_WEBREPORT_MEASURE_SERVING_SERVING_VIEW_H
#define TP_WEBREPORT_MEASURE_SERVING_SERVING_VIEW_H

#include "webreport/measure/serving/serving_marks.h"
#include "webreport/measure/serving/serving_operators.h"
#include "webreport/measure/work/work_costs.h"
#include "webreport/measure/work/work_kinds.h"
#include "writer/base/fields.h"

enum tp_serving_step_column {
    TP_SERVED_NAME,
    TP_SERVED_PHASE,
    TP_SERVED_CLASS,
    TP_SERVED_REQUESTS, /* first of TP_SERVING_NUMBERS columns, one per enum tp_serving_number */
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

/* number of class sizes, which are powers of two up to 1 << (TP_SERVING_SIZES - 1) requests or tokens */
enum { TP_SERVING_SIZES = 21 };

struct tp_serving_view {
    bool is_present;         /* the trace has steps of a serving engine */
    struct tp_table steps;   /* one row per step, in order of time */
    struct tp_table classes; /* one row per class of steps with device work, in order of phase, then size */
    /* largest operators of each class; only if the steps have kernels of graphs whose captured calls are known */
    struct tp_table operators;
    bool has_operators;
    /* for each phase and exponent of the class size: median and 90 % quantile of the steps' durations, ns; TP_NULL_INT
     * if the class has no steps */
    int64_t p50_ns[TP_SERVING_PHASES][TP_SERVING_SIZES], p90_ns[TP_SERVING_PHASES][TP_SERVING_SIZES];
    double tokens_per_s[TP_SERVING_PHASES]; /* for each phase: rate over all steps of the phase; NaN if unknown or
                                               without steps */
    /* bytes of weights that one pass reads; largest value of all steps; TP_NULL_INT without shapes */
    int64_t weight_bytes;
    bool has_shorter_steps; /* at least one class has a median duration below weight_read_ns */
    int64_t weight_read_ns; /* shortest time in which the device can read weight_bytes, ns; TP_NULL_INT if unknown */
};

/* Makes a view without steps. */
void tp_serving_init_empty(struct tp_serving_view *view);

/* Builds the view in `arena`, whose guard the caller has set. The data of the model must outlive the view. */
void tp_serving_build(struct tp_serving_view *view, const struct tp_work_kinds *kinds,
                      const struct tp_work_units *units, struct tp_arena *arena);

extern const struct tp_fields tp_serving_fields;

#endif
