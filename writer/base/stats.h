/* Statistics of samples: medians and quantiles, robust spread, sums. Pure functions with the same result for the same
 * input on every machine: the random generator is our own and starts from a constant. */
#ifndef TP_WRITER_BASE_STATS_H
#define TP_WRITER_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/table.h" /* TP_NULL_INT */

/* ---- generator: SplitMix64 (Steele, Lea, Flood 2014) ---- */

struct tp_random {
    uint64_t state; /* any seed */
};

uint64_t tp_random_next(struct tp_random *random);
/* Returns a number from 0 to below - 1, all equally likely to within 2^-32. below > 0. */
uint32_t tp_random_below(struct tp_random *random, uint32_t below);
/* Returns a number in [0, 1). */
double tp_random_unit(struct tp_random *random);

/* ---- quantiles ---- */

/* Sort in ascending order. */
void tp_sort_reals(double *values, size_t count);
void tp_sort_integers(int64_t *values, size_t count);

/* Returns the median; for an even count the mean of the two middle values; NaN for no values. Reorders the values. */
double tp_median(double *values, size_t count);
double tp_median_of_sorted(const double *sorted, size_t count);

/* Returns the lower of the two middle values; 0 for no values. Reorders the values, in linear time. */
int64_t tp_lower_median(int64_t *values, size_t count);

/* Returns the mean of the two middle values, rounded towards the lower one; 0 for no values. Reorders the values, in
 * linear time. */
int64_t tp_middle(int64_t *values, size_t count);

/* Returns the mean of the two middle values of `count` (> 0) sorted values, rounded towards the lower one. */
int64_t tp_middle_of_sorted(const int64_t *sorted, size_t count);

/* Returns the index of a quantile among `count` (> 0) sorted values, by nearest rank: the least value that `percent` (1
 * to 100) per cent of them do not exceed. For 50 this is the lower median. */
size_t tp_nearest_rank(size_t count, unsigned percent);

/* Returns the robust standard deviation: 1.4826 times the median distance from the median; 0 for one value, NaN for
 * none. Overwrites the values. */
double tp_spread(double *values, size_t count);

struct tp_weighted {
    double value, weight; /* weight: 0 or more */
};

/* Returns the least value at which at least half of the weight is reached; 0 for no items. Sorts the items; scratch
 * from `arena`. */
double tp_weighted_median(struct tp_weighted *items, size_t count, struct tp_arena *arena);

/* Returns the sum as if computed with twice the digits. It does not depend on the machine's order of additions, and for
 * sorted values not on the order of the input. */
double tp_sum(const double *values, size_t count);

/* Returns the sum of the squared distances from the mean: exactly 0 if all values are equal. Overwrites the values.
 * count > 0. */
double tp_squares(double *values, size_t count);

/* NaN bounds: the samples are not sufficient. */
struct tp_bounds {
    double estimate, low, high;
};

/* ---- numbers for tables ---- */

/* Returns the nearest integer, at most 9e18 from 0; TP_NULL_INT for NaN. */
int64_t tp_whole_of(double value);

#endif
