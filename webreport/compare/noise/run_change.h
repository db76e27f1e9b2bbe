/* Compares runs: the difference of their levels with its interval, the smallest detectable change, and the verdict of a
 * limit.
 * The interval is Student's, 99 %, from the noise between runs (run_noise.h). One formula covers one run against one,
 * few against few, and a history against one run: with one run per side the noise is the prior estimate, with nine or
 * more runs it comes from the runs only. Pure functions; scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H

#include "webreport/compare/noise/run_noise.h"

#define TP_RUN_DOUBT 0.01 /* probability that the true change is outside of a single interval */

/* Relative: 0.03 is 3 % more. */
struct tp_run_change {
    double estimate, low, high;
    double sees; /* smallest change that is detected in 80 % of such comparisons */
    double half; /* half width of the interval if nothing changed */
    double p;    /* probability of this or a larger difference if nothing changed */
    double error; /* standard error of the difference of the levels */
    double doubt; /* probability that the true change is outside of the interval */
    struct tp_run_noise noise;
    size_t base_count, new_count; /* runs */
};

/* Further inputs of a comparison: a prior estimate of the noise, groups of other runs of the program, which contribute
 * to the noise but not to a level, and the options of the judgement. */
struct tp_run_context {
    struct tp_run_noise prior;
    const struct tp_levels *more; /* more_count groups */
    size_t more_count;
    double share; /* share of TP_RUN_DOUBT if several quantities are judged (tp_run_doubt_of); 0 means all of it */
    enum tp_estimator estimator;
};

/* Returns the doubt of a change with `share` of TP_RUN_DOUBT. It is the share if runs determine the noise, and all of
 * TP_RUN_DOUBT if the noise is a prior estimate, because that is cautious and has few degrees of freedom; in between as
 * the weight of the prior decreases. */
double tp_run_doubt_of(const struct tp_run_noise *noise, double share);

/* Returns the change new_side - base, each with one level or more. The level of a base of five or more runs is their
 * median, else the mean. */
struct tp_run_change tp_run_change_of(const struct tp_levels *base, const struct tp_levels *new_side,
                                      const struct tp_run_context *context, struct tp_arena *arena);

/* Returns the change from `count` (2 or more) differences between the levels of paired runs, without a prior estimate.
 * Overwrites the differences. */
struct tp_run_change tp_run_change_paired(double *differences, size_t count);

/* Returns the probability of this or a larger change if the true change is `most` (relative). */
double tp_run_change_beyond(const struct tp_run_change *change, double most);

/* Returns the change of short steps between the medians of both sides; logarithms, one per run (struct
 * tp_run_level). */
double tp_short_steps_change(const struct tp_levels *base, const struct tp_levels *new_side, struct tp_arena *arena);

/* Returns whether short steps confirm a change of wall clock, that is, whether they changed by half of it or more. A
 * busy machine delays many steps, but never all. change, low: logarithms, without the shift that all rows share. */
bool tp_short_steps_back(double change, double low);
#define TP_NOT_BACKED "the short steps do not show it"

enum tp_limit_verdict { TP_LIMIT_PASS, TP_LIMIT_FAIL, TP_LIMIT_UNCLEAR };

/* Returns the verdict on the limit "at most `most`" (relative): fail if the whole interval is above it, pass if the
 * whole interval is at or below it. NaN bounds are unclear. */
enum tp_limit_verdict tp_run_change_limit(const struct tp_run_change *change, double most);

enum { TP_RUNS_NEEDED_MOST = 200 };

/* Returns the runs per side, with `base_count` runs of the base already made, until half of the interval is at most
 * `most`; 0 if TP_RUNS_NEEDED_MOST are too few. */
unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count);

#endif
