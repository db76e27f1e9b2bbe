/* Statistics of samples: medians and quantiles, bootstrap and Welch intervals, the noise floor of runs. Pure functions,
 * the same result for the same input on every machine: the generator is ours and starts from a constant. */
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

/* The median; of an even number the mean of the two in the middle; NaN of none. Sorts the values. */
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

/* ---- intervals ---- */

/* NaN bounds: the samples do not tell. */
struct tp_bounds {
    double estimate, low, high;
};

/* Mean and what its uncertainty is made of. */
struct tp_moments {
    double count, mean;
    double error_square; /* variance of the mean; NaN: unknown (fewer than two samples) */
    double freedom;      /* degrees behind error_square */
};

/* Of single samples. */
struct tp_moments tp_moments_of(const double *values, size_t count);

/* Of the middle three fifths: the mean without a fifth of the values at each end, and its uncertainty from the
 * winsorized variance (Yuen 1974). A stall in one step moves neither. From TP_TYPICAL_FROM values on; of fewer as
 * tp_moments_of. Reorders the values. */
enum { TP_TYPICAL_FROM = 10 };
struct tp_moments tp_moments_typical(double *values, size_t count);

/* Of a count, a sum and a sum of squares. */
struct tp_moments tp_moments_of_sums(double count, double sum, double square_sum);

/* new - base with `confidence` (0.99: one true difference of hundred lies outside), after Welch: neither the variances
 * nor the numbers of samples need be equal. */
struct tp_bounds tp_welch_difference(const struct tp_moments *base, const struct tp_moments *new_side,
                                     double confidence);

enum { TP_BOOTSTRAP_RESAMPLES = 2000, TP_BOOTSTRAP_FROM = 6, TP_RATIO_FROM = 5 };

/* Ratio new / base of the medians of positive samples. From TP_BOOTSTRAP_FROM samples a side on by the percentile
 * bootstrap; with fewer from the extremes of both sides, which few samples do not leave by chance (all of one side
 * above all of the other: 1 in 126 for 5 and 5). No interval with fewer than TP_RATIO_FROM a side. Values that are not
 * positive make it NaN. Scratch memory from `arena`. */
struct tp_bounds tp_median_ratio(const double *base, size_t base_count, const double *new_side, size_t new_count,
                                 double confidence, struct tp_arena *arena);

/* ---- noise floor ---- */

#define TP_NOISE_FLOOR_ONE_RUN 0.02 /* when there is nothing, or little, to learn from */
#define TP_NOISE_FLOOR_LEAST 0.005
enum { TP_NOISE_RUNS = 3 }; /* of one side, to learn from that it varies by less than TP_NOISE_FLOOR_ONE_RUN */

/* The relative difference that two runs of the same program may show: twice the deviation (1.4826 times the median
 * distance) of the runs from the median of their own side; at least TP_NOISE_FLOOR_LEAST, and at least
 * TP_NOISE_FLOOR_ONE_RUN unless a side has TP_NOISE_RUNS runs. base, new_side: one positive number a run. */
double tp_noise_floor(const double *base, size_t base_count, const double *new_side, size_t new_count,
                      struct tp_arena *arena);

/* ---- numbers for tables ---- */

/* The nearest whole number, at most 9e18 from 0; TP_NULL_INT for NaN. */
int64_t tp_whole_of(double value);

#endif
