/* A sketch of durations: exact count, sum, minimum and maximum, and quantiles within 4.5 %. The quantiles come from a
 * histogram whose bucket limits grow by the factor 2^(1/8). Sketches can be merged in any order; the result is the
 * sketch of all durations. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SKETCH_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* bucket 0 is for 0 ns; bucket b > 0 is for durations with floor(8 log2 ns) + 1 == b */
enum { TP_SKETCH_BUCKETS = 64 * 8 };

struct tp_sketch_bucket {
    uint32_t bucket;
    int64_t count; /* number of durations in the bucket, greater than 0 */
};

struct tp_sketch {
    /* min_ns and max_ns: 0 if there are no durations; sum_ns: limited to the range of int64 */
    int64_t count, sum_ns, min_ns, max_ns;
    double square_sum_ns2;            /* sum of the squared durations, ns^2 */
    struct tp_sketch_bucket *buckets; /* buckets with durations, in ascending order */
    uint32_t bucket_count;
};

/* Returns the bucket of a duration in ns; 0 for values up to 0. */
uint32_t tp_sketch_bucket(int64_t ns);

/* Builds the sketch of `count` durations in ns; negative durations count as 0. The buckets are in `arena`; the
 * caller sets its guard. */
void tp_sketch_build(struct tp_sketch *sketch, const int64_t *ns, size_t count, struct tp_arena *arena);

/* Adds `more` to *into. `more` does not change. */
void tp_sketch_merge(struct tp_sketch *into, const struct tp_sketch *more, struct tp_arena *arena);

/* Returns the quantile q (0 to 1) in ns: the middle of the bucket that contains the quantile, limited to the range
 * min_ns to max_ns. Returns NaN if there are no durations. */
double tp_sketch_quantile(const struct tp_sketch *sketch, double q);

/* Return the mean and the standard deviation of the durations, ns. The mean is NaN without durations; the deviation is
 * NaN for fewer than two durations. */
double tp_sketch_mean(const struct tp_sketch *sketch);
double tp_sketch_deviation(const struct tp_sketch *sketch);

#endif
