/* Computes the length of the queue of a stream: the number of operations that the host has called and that have not
 * started (docs/definitions.md, section 40). */
#ifndef TP_WEBREPORT_MEASURE_STREAMS_QUEUE_LENGTH_H
#define TP_WEBREPORT_MEASURE_STREAMS_QUEUE_LENGTH_H

#include "webreport/model/facts.h"

/* Number of parts of the recording for which curves have a value. */
enum { TP_CURVE_PARTS = 240 };

/* Values of a curve over the recording, which is divided into TP_CURVE_PARTS equal parts. */
struct tp_part_curve {
    int64_t first_ns, part_ns; /* start of the recording, ns; length of a part, ns, at least 1 */
    double sum[TP_CURVE_PARTS], weight[TP_CURVE_PARTS]; /* the value of a part is sum / weight; weight 0: no value */
};

/* Makes a curve without values for the recording of a model. */
void tp_part_curve_init(struct tp_part_curve *curve, const struct tp_model *model);
/* Adds a value at the time `at`, ns. Times outside the recording count for the first or last part. */
void tp_part_curve_add(struct tp_part_curve *curve, int64_t at, double value);
/* Adds a value that is valid from `a` to `b`, ns, weighted by its length in each part. */
void tp_part_curve_add_interval(struct tp_part_curve *curve, int64_t a, int64_t b, double value);

/* Starts of the calls and of the operations of a stream, each in ascending order, ns. */
struct tp_queue_times {
    const int64_t *calls, *starts;
    size_t count; /* number of items in each array */
};

struct tp_queue_length {
    int64_t change_count;
    double mean, mean_at_changes;  /* mean over the time from the first to the last change; mean over changes */
    int64_t median, p75, max, min; /* over the lengths after each change */
    int64_t near_max_ns;           /* time in which the length is at least 90 % of its maximum, ns */
};

/* Computes the length of a queue. times: with at least one item. curve: gets the length over time; may be NULL.
 * Releases working memory to `arena`. */
void tp_queue_length_find(struct tp_queue_length *queue, const struct tp_queue_times *times,
                          struct tp_part_curve *curve, struct tp_arena *arena);

#endif
