/* Durations counted: exact count, sum, least and greatest, and quantiles within 4.5 % from a histogram whose buckets
 * grow by 2^(1/8). Two sketches add to the sketch of both sets, in any order: counts and sums are exact. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SKETCH_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

enum { TP_SKETCH_BUCKETS = 64 * 8 }; /* bucket b > 0: floor(8 log2 ns) + 1 == b; bucket 0: 0 ns */

struct tp_sketch_bucket {
    uint32_t bucket;
    int64_t count; /* above 0 */
};

struct tp_sketch {
    int64_t count, sum_ns, min_ns, max_ns; /* min and max: 0 without a value; sum stops at the ends of int64 */
    double square_sum;                     /* of ns squared */
    struct tp_sketch_bucket *buckets;      /* ascending */
    uint32_t bucket_count;
};

/* The bucket of a duration in ns; 0 for what is not above 0. */
uint32_t tp_sketch_bucket(int64_t ns);

/* Sketch of `count` durations (>= 0; negative ones count as 0). Memory from `arena`, whose guard is set. */
void tp_sketch_build(struct tp_sketch *sketch, const int64_t *ns, size_t count, struct tp_arena *arena);

/* *into becomes the sketch of both; `more` stays. */
void tp_sketch_add(struct tp_sketch *into, const struct tp_sketch *more, struct tp_arena *arena);

/* The quantile q in [0, 1] in ns, NaN without a value: the middle of the bucket that holds it, kept within min .. max.
 */
double tp_sketch_quantile(const struct tp_sketch *sketch, double q);

/* Mean and standard deviation of single durations in ns; NaN without enough values (1, 2). */
double tp_sketch_mean(const struct tp_sketch *sketch);
double tp_sketch_deviation(const struct tp_sketch *sketch);

#endif
