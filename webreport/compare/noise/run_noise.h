/* Computes the level of a run, and the noise between the levels of runs of one program.
 *
 * A run is one sample, however many steps it has. The level of a run is the logarithm of a typical step. The variation
 * between the steps of a run is only used for a prior estimate of the noise between runs. The prior estimate has the
 * weight of a few runs, and loses weight as runs are added. Levels are natural logarithms, so that a difference of 0.01
 * is 1 %. All functions are pure and take scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Quantities that have a level, sorted from the least noise to the most. */
enum tp_quantity {
    TP_QUANTITY_KERNELS,  /* device time of all kernels in a step */
    TP_QUANTITY_ROW,      /* time of one kernel or operator */
    TP_QUANTITY_HOST_OPS, /* self time on the host of all operators in a step */
    TP_QUANTITY_STEP,     /* wall time of a step */
    TP_QUANTITIES
};

struct tp_run_level {
    double level; /* logarithm of the mean of the middle three fifths of the steps; NaN without a step above 0 */
    double cv;    /* robust standard deviation of the run's steps, relative to the mean in `level` */
    /* logarithm of a short step: step number (n - 1) / 10 of n steps sorted by length; NaN if `level` is NaN */
    double low;
};

/* Levels of several runs of one program. */
struct tp_levels {
    const double *items;
    size_t count;
};

struct tp_run_noise {
    double sd;      /* standard deviation between the levels of runs */
    double freedom; /* degrees of freedom of sd; for a prior estimate, the number of runs with the same weight */
    double guessed; /* part of `freedom` that comes from a prior estimate */
};

/* Returns the level of a run from the lengths of `count` steps, each above 0. With five or more steps, the mean leaves
 * out the extremes. Sorts the values. */
struct tp_run_level tp_run_level_of_steps(double *values, size_t count);

/* Returns the number of warm-up steps at the start: steps longer than 1.5 times the median of the later half.
 * Returns at most a third of `count`, and 0 with fewer than 3 steps. */
size_t tp_warm_up_count(const double *steps, size_t count, struct tp_arena *arena);

/* Returns a prior estimate of the noise, from the robust variation of the steps in `count` (> 0) runs. The estimate
 * has a minimum, which is higher if the runs are not known to be from one host. Overwrites cvs. */
struct tp_run_noise tp_run_noise_prior_estimate(enum tp_quantity quantity, double *cvs, size_t count,
                                                bool is_same_host);

/* Methods to correct for winsorized levels and for the median of a base. */
enum tp_estimator {
    TP_ESTIMATOR_EXACT, /* exact for normally distributed levels, as a simulation in docs/diff.md shows */
    /* constant corrections, as in the reference implementation of the tests; used only for comparison with it. With
     * five or more runs, false alarms are up to four times as frequent as promised */
    TP_ESTIMATOR_PLAIN,
};

/* Returns the noise of runs around the mean of their group, with winsorized outliers. `prior` has the weight of some
 * runs. If the runs have eight or more degrees of freedom, such as 9 + 1 runs, `prior` has no weight. `prior` is
 * dropped if the runs have three or more degrees of freedom and more than four times its variance. Empty groups are
 * ignored. */
struct tp_run_noise tp_run_noise_pool_groups(const struct tp_levels *groups, size_t group_count,
                                             const struct tp_run_noise *prior, enum tp_estimator estimator,
                                             struct tp_arena *arena);

/* Returns a sorted copy of the levels. With at least five values, values farther than 3 robust standard deviations
 * from the median are moved to that distance. The caller may drop the copy. *drawn_count: number of moved values;
 * may be NULL. */
double *tp_levels_winsorize(const struct tp_levels *levels, size_t *drawn_count, struct tp_arena *arena);

/* Returns the name of a quantity: "kernels", "row", "host_ops" or "step". The text is static. */
const char *tp_quantity_name(enum tp_quantity quantity);

#endif
