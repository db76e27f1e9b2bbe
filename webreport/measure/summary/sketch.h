/* A sketch of durations: exact count, sum, minimum and maximum, and quantiles within 4.5 % from a histogram whose
 * buckets grow by 2^(1/8). The sum of two sketches is the sketch of both sets, in any order: counts and sums are
 * exact. */
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
    int64_t count, sum_ns, min_ns, max_ns; /* min and max: 0 without a value; sum saturates at the ends of int64 */
    double square_sum;                     /* of ns squared */
    struct tp_sketch_bucket *buckets;      /* ascending */
    uint32_t bucket_count;
};

/* Returns the bucket of a duration in ns; 0 for values up to 0. */
uint32_t tp_sketch_bucket(int64_t ns);

/* Builds the sketch of `count` durations (>= 0; negative ones count as 0). Memory is from `arena`, whose guard is
 * set. */
void tp_sketch_build(struct tp_sketch *sketch, const int64_t *ns, size_t count, struct tp_arena *arena);

/* Adds `more`, which stays unchanged, to *into. */
void tp_sketch_add(struct tp_sketch *into, const struct tp_sketch *more, struct tp_arena *arena);

/* Returns the quantile q in [0, 1] in ns, NaN without a value: the middle of its bucket, limited to min .. max. */
double tp_sketch_quantile(const struct tp_sketch *sketch, double q);

/* Return the mean and the standard deviation of single durations in ns; NaN with fewer than 1 or 2 values. */
double tp_sketch_mean(const struct tp_sketch *sketch);
double tp_sketch_deviation(const struct tp_sketch *sketch);

#endif
