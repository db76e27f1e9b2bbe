/* Computes the level of a run and the noise between the levels of runs of one program.
 * A run is one sample, however many steps it has. Its level is the logarithm of a typical step. The variation of its
 * steps is only used for a prior estimate of the noise between runs; the estimate counts as a few more runs and loses
 * weight as runs are added. Levels are natural logarithms, so a difference of 0.01 is 1 %. Pure functions; scratch
 * memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/arena.h"

/* Quantities that have a level, from little to much noise. */
enum tp_quantity {
    TP_QUANTITY_KERNELS,  /* sum of the device time of a step */
    TP_QUANTITY_ROW,      /* one kernel or operator */
    TP_QUANTITY_HOST_OPS, /* sum of the operators' self time on the host */
    TP_QUANTITY_STEP,     /* wall time */
    TP_QUANTITIES
};

struct tp_run_level {
    double level; /* logarithm of the mean of the middle three fifths of its steps; NaN without steps above 0 */
    double cv;    /* robust standard deviation of its steps, relative to that mean */
    double low;   /* logarithm of a short step: number (n - 1) / 10 of n, sorted by length; NaN if level is NaN */
};

/* Levels of some runs of one program. */
struct tp_levels {
    const double *items;
    size_t count;
};

struct tp_run_noise {
    double sd;      /* standard deviation of the levels of runs */
    double freedom; /* degrees of freedom; for a prior estimate, the number of runs that it counts as */
    double guessed; /* part of `freedom` that comes from a prior estimate */
};

/* Returns the level of `count` values above 0, one per step; without the extremes from five values on. Sorts the
 * values. */
struct tp_run_level tp_run_level_of(double *values, size_t count);

/* Returns how many of the first steps are warm-up: those longer than 1.5 times the median of the later half, at most a
 * third of `count`; 0 with fewer than 3 steps. */
size_t tp_warm_up_count(const double *steps, size_t count, struct tp_arena *arena);

/* Returns a prior estimate of the noise: from the robust variation of the steps of `count` (> 0) runs, and at least a
 * minimum, which is higher if the runs are not known to be of one host. Overwrites cvs. */
struct tp_run_noise tp_run_noise_prior(enum tp_quantity quantity, double *cvs, size_t count, bool is_same_host);

/* Corrections for winsorized levels and for the median of a base. */
enum tp_estimator {
    TP_ESTIMATOR_EXACT, /* exact for normal levels; docs/diff.md shows it by simulation */
    TP_ESTIMATOR_PLAIN, /* constants, as in the executable definition: alarms of five runs or more are up to four times
                         * as frequent as promised. Only for comparing with that definition */
};

/* Returns the noise of runs about the mean of their group, with winsorized outliers and with `prior` as some more runs.
 * With nine runs the prior has no weight. A prior is dropped if three or more degrees of freedom show more than four
 * times its variance. Empty groups are ignored. */
struct tp_run_noise tp_run_noise_pooled(const struct tp_levels *groups, size_t group_count,
                                        const struct tp_run_noise *prior, enum tp_estimator estimator,
                                        struct tp_arena *arena);

/* Returns a sorted copy in which, from five values on, values beyond 3 robust standard deviations of the median are
 * moved to that distance. The caller may drop it. *drawn_count: number of moved values; may be NULL. */
double *tp_levels_winsorized(const struct tp_levels *levels, size_t *drawn_count, struct tp_arena *arena);

/* Returns "kernels", "row", "host_ops" or "step". Static. */
const char *tp_quantity_name(enum tp_quantity quantity);

#endif
