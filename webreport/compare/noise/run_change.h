/* Compares runs: computes the difference of their levels with its interval, the smallest detectable change, and the
 * verdict on a limit.
 *
 * The interval is Student's 99 % interval, computed from the noise between runs (run_noise.h). The same formula applies
 * to one run against one, few against few, and a history against one run. With one run per side, the noise is the prior
 * estimate. If the runs have eight or more degrees of freedom, such as 9 + 1 runs, the noise comes from the runs only.
 * All functions are pure and take scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H

#include "webreport/compare/noise/run_noise.h"

#define TP_RUN_ERROR_CHANCE 0.01 /* probability that the true change is outside a single interval */

/* Change from the base to the new side. Changes are relative: 0.03 is an increase of 3 %. */
struct tp_run_change {
    double estimate, low, high;
    double detectable; /* smallest change that comparisons with this many runs detect with a probability of 80 % */
    double half_width; /* half of the interval's width if nothing changed */
    double p;          /* p-value: probability of a difference at least this large if nothing changed */
    double error;      /* standard error of the difference of the levels, which are logarithms */
    double doubt;      /* probability that the true change is outside the interval */
    struct tp_run_noise noise;
    size_t base_count, new_count; /* number of runs on each side */
};

/* Other inputs of a comparison: a prior estimate of the noise, groups of other runs of the program, and options. The
 * other runs contribute to the estimate of the noise but not to a level. */
struct tp_run_context {
    struct tp_run_noise prior;
    /* array of other_run_group_count groups of other runs; deviations are from the mean of each group */
    const struct tp_levels *more;
    size_t other_run_group_count;
    /* factor below 1 for TP_RUN_ERROR_CHANCE if several quantities are tested together (tp_run_allowed_error_chance);
     * 0: no factor */
    double share;
    enum tp_estimator estimator;
};

/* Returns the allowed probability that the interval of a change misses the true change. If the runs determine the
 * noise, the result is `share` of TP_RUN_ERROR_CHANCE. If the noise is only a prior estimate, the result is all of
 * TP_RUN_ERROR_CHANCE, because such an interval is already wide. Between these cases, the result depends on the weight
 * of the prior estimate. */
double tp_run_allowed_error_chance(const struct tp_run_noise *noise, double share);

/* Returns the change from base to new_side, each with at least one level. The level of a base is the median of five
 * or more runs, else the mean. */
struct tp_run_change tp_run_change_of_sides(const struct tp_levels *base, const struct tp_levels *new_side,
                                            const struct tp_run_context *context, struct tp_arena *arena);

/* Returns the change computed from `count` (at least 2) differences between the levels of paired runs, without a
 * prior estimate. Overwrites the differences. */
struct tp_run_change tp_run_change_of_pairs(double *differences, size_t count);

/* Returns the probability of a change at least this large if the true change is `most`, a relative change. */
double tp_run_change_probability(const struct tp_run_change *change, double most);

/* Returns the change of short steps between the medians of both sides. The result and the levels (struct
 * tp_run_level, `low`) are logarithms; each run has one level. */
double tp_short_steps_change(const struct tp_levels *base, const struct tp_levels *new_side, struct tp_arena *arena);

/* Returns whether short steps confirm a change of wall clock. Their change must be at least half as large and in the
 * same direction. A busy machine delays many steps, but never all. change, low: changes of the whole and of the short
 * steps as logarithms, without the shift that all rows share. */
bool tp_short_steps_confirm(double change, double low);
#define TP_NOT_CONFIRMED "the shortest steps do not show this change"

enum tp_limit_verdict { TP_LIMIT_PASS, TP_LIMIT_FAIL, TP_LIMIT_UNCLEAR };

/* Returns the verdict on the limit "at most `most`", a relative change. The limit fails if the whole interval is
 * above it, and passes if the whole interval is at or below it. NaN bounds give an unclear verdict. */
enum tp_limit_verdict tp_run_change_limit_verdict(const struct tp_run_change *change, double most);

enum { TP_RUNS_NEEDED_MOST = 200 };

/* Returns the number of runs per side with which half of the interval's width is at most `most`. The base already has
 * `base_count` runs. Returns 0 if TP_RUNS_NEEDED_MOST runs are too few. */
unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count);

#endif
