/* Compares runs: computes the difference of their levels with its interval, the smallest detectable change, and the
 * verdict on a limit.
 *
 * The interval is Student's, 99 %, from the noise between runs (run_noise.h). One formula covers one run against one,
 * few against few, and a history against one run. With one run per side, the noise is the prior estimate; with nine or
 * more runs, it comes from the runs only. All functions are pure and take scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H

#include "webreport/compare/noise/run_noise.h"

#define TP_RUN_DOUBT 0.01 /* probability that the true change is outside of a single interval */

/* Change from the base to the new side. Changes are relative: 0.03 is 3 % more. */
struct tp_run_change {
    double estimate, low, high;
    double detectable; /* smallest change that 80 % of such comparisons detect */
    double half_width; /* half width of the interval if nothing changed */
    double p;    /* p-value: probability of this or a larger difference if nothing changed */
    double error; /* standard error of the difference of the levels, a logarithm */
    double doubt; /* probability that the true change is outside of the interval */
    struct tp_run_noise noise;
    size_t base_count, new_count; /* number of runs on each side */
};

/* Further inputs of a comparison: a prior estimate of the noise, groups of other runs of the program, and options. The
 * other runs contribute to the noise, but not to a level. */
struct tp_run_context {
    struct tp_run_noise prior;
    const struct tp_levels *more; /* more_count groups of other runs */
    size_t more_count;
    /* share of TP_RUN_DOUBT that this quantity gets if several are judged (tp_run_doubt_of); 0 means all of it */
    double share;
    enum tp_estimator estimator;
};

/* Returns the probability that the interval of a change may miss the true change. If runs determine the noise, it is
 * `share` of TP_RUN_DOUBT. If the noise is a prior estimate, it is all of TP_RUN_DOUBT, because such an interval is
 * wide already. Between the two, it follows the weight of the prior estimate. */
double tp_run_doubt_of(const struct tp_run_noise *noise, double share);

/* Returns the change from base to new_side, each with one level or more. The level of a base is the median of five or
 * more runs, else the mean. */
struct tp_run_change tp_run_change_of(const struct tp_levels *base, const struct tp_levels *new_side,
                                      const struct tp_run_context *context, struct tp_arena *arena);

/* Returns the change computed from `count` (2 or more) differences between the levels of paired runs, without a prior
 * estimate. Overwrites the differences. */
struct tp_run_change tp_run_change_paired(double *differences, size_t count);

/* Returns the probability of this or a larger change if the true change is `most`, a relative change. */
double tp_run_change_probability(const struct tp_run_change *change, double most);

/* Returns the change of short steps between the medians of both sides. Result and levels (struct tp_run_level, `low`)
 * are logarithms, one level per run. */
double tp_short_steps_change(const struct tp_levels *base, const struct tp_levels *new_side, struct tp_arena *arena);

/* Returns whether short steps confirm a change of wall clock, that is, changed by at least half of it in the same
 * direction. A busy machine delays many steps, but never all. change, low: changes of the whole and of the short steps
 * as logarithms, without the shift that all rows share. */
bool tp_short_steps_confirm(double change, double low);
#define TP_NOT_CONFIRMED "the short steps do not show it"

enum tp_limit_verdict { TP_LIMIT_PASS, TP_LIMIT_FAIL, TP_LIMIT_UNCLEAR };

/* Returns the verdict on the limit "at most `most`", a relative change. It fails if the whole interval is above the
 * limit, and passes if the whole interval is at or below it. NaN bounds are unclear. */
enum tp_limit_verdict tp_run_change_limit(const struct tp_run_change *change, double most);

enum { TP_RUNS_NEEDED_MOST = 200 };

/* Returns the number of runs per side that make half of the interval at most `most`. The base has `base_count` runs
 * already. Returns 0 if TP_RUNS_NEEDED_MOST runs are too few. */
unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count);

#endif
