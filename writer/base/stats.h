/* Statistics of samples: medians and quantiles, robust spread, sums. Pure functions. The same input gives the same
 * result on every machine, because the random generator is part of this module and starts from a constant. */
#ifndef TP_WRITER_BASE_STATS_H
#define TP_WRITER_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/table.h" /* for TP_NULL_INT */

/* ---- random generator: SplitMix64 (Steele, Lea, Flood 2014) ---- */

struct tp_random {
    uint64_t state; /* state of the generator; every initial value is allowed */
};

uint64_t tp_random_next(struct tp_random *random);
/* Returns a random integer from 0 to below - 1. All integers are equally likely to within 2^-32. below > 0. */
uint32_t tp_random_below(struct tp_random *random, uint32_t below);
/* Returns a random number in [0, 1). */
double tp_random_unit(struct tp_random *random);

/* ---- quantiles ---- */

/* Sorts the values in ascending order. */
void tp_sort_reals(double *values, size_t count);
void tp_sort_integers(int64_t *values, size_t count);

/* Returns the median; for an even count the mean of the two middle values; NaN for no values. Reorders the values. */
double tp_median(double *values, size_t count);
double tp_sorted_median(const double *sorted, size_t count);

/* Returns the lower of the two middle values; 0 for no values. Reorders the values, in linear time. */
int64_t tp_lower_median(int64_t *values, size_t count);

/* Returns the mean of the two middle values, rounded towards the lower one; 0 for no values. Reorders the values, in
 * linear time. */
int64_t tp_integer_median(int64_t *values, size_t count);

/* Returns the mean of the two middle values of `count` (> 0) sorted values, rounded towards the lower one. */
int64_t tp_sorted_integer_median(const int64_t *sorted, size_t count);

/* Returns the index of a percentile in `count` (> 0) sorted values, by nearest rank: the smallest value such that at
 * least `percent` (1 to 100) per cent of the values are not larger. For 50, it is the lower median. */
size_t tp_nearest_rank(size_t count, unsigned percent);

/* Returns a percentile of `count` (> 0) values, by nearest rank (tp_nearest_rank). Reorders the values, in linear
 * time. */
int64_t tp_integer_percentile(int64_t *values, size_t count, unsigned percent);
double tp_real_percentile(double *values, size_t count, unsigned percent);

/* Returns the robust standard deviation: 1.4826 times the median distance from the median; 0 for one value, NaN for no
 * values. Overwrites the values. */
double tp_robust_deviation(double *values, size_t count);

struct tp_weighted {
    double value, weight; /* a value and its weight, which is 0 or more */
};

/* Returns the smallest value for which the items up to this value have at least half of the total weight; 0 for no
 * items. Sorts the items; scratch memory comes from `arena`. */
double tp_weighted_median(struct tp_weighted *items, size_t count, struct tp_arena *arena);

/* Returns the sum, computed with twice the digits of a double. The result is the same on every machine. Sort the values
 * first if the result must not depend on the order of the input. */
double tp_sum(const double *values, size_t count);

/* Returns the sum of the squared distances from the mean: exactly 0 if all values are equal. Overwrites the values.
 * count > 0. */
double tp_sum_squared_deviations(double *values, size_t count);

/* An estimate and the bounds of its confidence interval, which are NaN if there are too few samples. */
struct tp_confidence_interval {
    double estimate, low, high;
};

/* ---- conversion for tables ---- */

/* Returns the nearest integer, clamped to +-9e18; TP_NULL_INT for NaN. */
int64_t tp_round_to_integer(double value);

#endif
