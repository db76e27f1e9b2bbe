/* Statistics of samples: medians and quantiles, robust spread, sums. Pure functions, the same result for the same input
 * on every machine: the generator is ours and starts from a constant. */
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
/* A number from 0 to below - 1, all equally likely to within 2^-32. below > 0. */
uint32_t tp_random_below(struct tp_random *random, uint32_t below);
/* In [0, 1). */
double tp_random_unit(struct tp_random *random);

/* ---- quantiles ---- */

/* Ascending. */
void tp_sort_reals(double *values, size_t count);
void tp_sort_integers(int64_t *values, size_t count);

/* The median; of an even number the mean of the two in the middle; NaN of none. Reorders the values. */
double tp_median(double *values, size_t count);
double tp_median_of_sorted(const double *sorted, size_t count);

/* The lower one of the two in the middle; 0 of none. Reorders the values, in linear time. */
int64_t tp_lower_median(int64_t *values, size_t count);

/* Between the two in the middle, rounded to the lower one; 0 of none. Reorders the values, in linear time. */
int64_t tp_middle(int64_t *values, size_t count);

/* Between the two in the middle of `count` (> 0) sorted values, rounded to the lower one. */
int64_t tp_middle_of_sorted(const int64_t *sorted, size_t count);

/* Where the quantile stands among `count` (> 0) sorted values, by nearest rank: the least value that `percent` (1 to
 * 100) per cent of them do not exceed. For 50 the lower median. */
size_t tp_nearest_rank(size_t count, unsigned percent);

/* The robust standard deviation: 1.4826 times the median distance from the median; 0 of one value, NaN of none.
 * Overwrites the values. */
double tp_spread(double *values, size_t count);

struct tp_weighted {
    double value, weight; /* weight: 0 or more */
};

/* The least value below and at which half of the weight lies; 0 of none. Sorts the items; scratch from `arena`. */
double tp_weighted_median(struct tp_weighted *items, size_t count, struct tp_arena *arena);

/* The sum as if it were made in twice the digits: it does not depend on the machine's order of additions, and of sorted
 * values not on that of the input. */
double tp_sum(const double *values, size_t count);

/* The sum of the squares of the distances from the mean: exactly 0 when all are equal. Overwrites the values, of which
 * there is one or more. */
double tp_squares(double *values, size_t count);

/* NaN bounds: the samples do not tell. */
struct tp_bounds {
    double estimate, low, high;
};

/* ---- numbers for tables ---- */

/* The nearest whole number, at most 9e18 from 0; TP_NULL_INT for NaN. */
int64_t tp_whole_of(double value);

#endif
