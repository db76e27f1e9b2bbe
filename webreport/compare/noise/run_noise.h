/* How much runs of one program differ from each other: the level of a run, and the noise between levels.
 *
 * A run is one sample, however many steps it has: its level is the logarithm of what a typical step took. What its
 * steps vary by only helps to guess what runs vary by; the guess counts as a few more runs, and fades as real ones
 * come. All levels are natural logarithms, so that a difference of 0.01 is 1 %. Pure functions; scratch memory from
 * `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* What a level is of, quiet to noisy. */
enum tp_quantity {
    TP_QUANTITY_KERNELS,  /* sum of the device time of a step */
    TP_QUANTITY_ROW,      /* one kernel or operator */
    TP_QUANTITY_HOST_OPS, /* sum of the operators' self time on the host */
    TP_QUANTITY_STEP,     /* wall time */
    TP_QUANTITIES
};

struct tp_run_level {
    double level; /* logarithm of the mean of the middle three fifths of its steps; NaN: no steps, or none above 0 */
    double cv;    /* robust standard deviation of its steps, relative to that mean */
    double low;   /* logarithm of a short step: of n, number (n - 1) / 10 from the shortest; NaN as the level */
};

/* Levels of some runs of one program. */
struct tp_levels {
    const double *items;
    size_t count;
};

struct tp_run_noise {
    double sd;      /* of the levels of runs */
    double freedom; /* degrees behind it; of a guess the number of runs that it is worth */
    double guessed; /* of these, what a guess is worth in what runs told */
};

/* Of `count` values above 0, one a step; the extremes go from five values on. Sorts the values. */
struct tp_run_level tp_run_level_of(double *values, size_t count);

/* How many of the first of `count` steps are warm-up: those longer than 1.5 times the median of the later half, a third
 * of all at most; none of fewer than 3. Scratch memory from `arena`. */
size_t tp_warm_up_count(const double *steps, size_t count, struct tp_arena *arena);

/* What may be supposed before runs tell: from the robust cv of the steps of `count` (> 0) runs, and a floor, which is
 * higher when the runs are not known to be of one host. Overwrites cvs. */
struct tp_run_noise tp_run_noise_prior(enum tp_quantity quantity, double *cvs, size_t count, bool is_same_host);

/* What levels that are drawn in, and the median of a base, cost. */
enum tp_estimator {
    TP_ESTIMATOR_EXACT, /* as of normal levels: docs/diff.md has the proof by simulation */
    TP_ESTIMATOR_PLAIN, /* constants, as in the executable definition: alarms of five runs or more are up to four times
                         * as frequent as promised. Only for comparing with that definition */
};

/* Noise of runs about the mean of their own group, outliers drawn in, with `prior` as some more runs. Nine runs need no
 * prior; one that three degrees of freedom contradict (four times its variance) is dropped. Empty groups tell nothing.
 */
struct tp_run_noise tp_run_noise_pooled(const struct tp_levels *groups, size_t group_count,
                                        const struct tp_run_noise *prior, enum tp_estimator estimator,
                                        struct tp_arena *arena);

/* A sorted copy, from five values on with what lies beyond 3 robust standard deviations of the median put there. The
 * caller may drop it. *drawn_count: how many were put; may be NULL. */
double *tp_levels_winsorized(const struct tp_levels *levels, size_t *drawn_count, struct tp_arena *arena);

/* "kernels", "row", "host_ops", "step". */
const char *tp_quantity_name(enum tp_quantity quantity);

#endif
