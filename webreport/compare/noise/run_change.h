/* What changed between runs: the difference of their levels with its interval, what could have been seen, and what a
 * limit makes of it.
 *
 * The interval is Student's, 99 %, from the noise between runs (run_noise.h). One run against one, few against few and
 * a history against one run are this one formula: with one run a side the guess alone speaks, with nine or more the
 * runs alone. Pure functions; scratch memory from `arena`. */
#ifndef TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H
#define TP_WEBREPORT_COMPARE_NOISE_RUN_CHANGE_H

#include "webreport/compare/noise/run_noise.h"

#define TP_RUN_DOUBT 0.01 /* true changes outside of an interval that stands for itself, of all */

/* Relative: 0.03 is 3 % more. */
struct tp_run_change {
    double estimate, low, high;
    double sees; /* the smallest change that four of five such comparisons find */
    double half; /* from the estimate to the end of the interval, when nothing changed */
    double p;    /* probability of such a difference, or of a greater one, when nothing changed */
    double error; /* standard error of the difference of the levels */
    double doubt; /* true changes outside of the interval, of all */
    struct tp_run_noise noise;
    size_t base_count, new_count; /* runs */
};

/* What is known beside both sides: a guess of the noise, and groups of further runs of the program, which teach the
 * noise but no level; and how the change is judged. */
struct tp_run_context {
    struct tp_run_noise prior;
    const struct tp_levels *more; /* more_count of them */
    size_t more_count;
    double share; /* of TP_RUN_DOUBT, where others are judged beside: see tp_run_doubt_of; 0: all of it */
    enum tp_estimator estimator;
};

/* What is doubted of a change that has `share` of TP_RUN_DOUBT: its share where runs tell the noise; all of it where
 * the noise is guessed, for a guess is cautious, and few degrees of freedom make much of a share. Between, as the guess
 * fades. */
double tp_run_doubt_of(const struct tp_run_noise *noise, double share);

/* new_side - base, each with one level or more. Of a base of five or more the median counts, else the mean. */
struct tp_run_change tp_run_change_of(const struct tp_levels *base, const struct tp_levels *new_side,
                                      const struct tp_run_context *context, struct tp_arena *arena);

/* Of `count` (2 or more) pairs of runs made next to each other: the differences of their levels. Nothing is guessed.
 * Overwrites the differences. */
struct tp_run_change tp_run_change_paired(double *differences, size_t count);

/* Probability of such a change, or of a greater one, when the true one is `most` (relative). */
double tp_run_change_beyond(const struct tp_run_change *change, double most);

/* What short steps changed by, between the medians of both sides: logarithms, one a run (struct tp_run_level). */
double tp_short_steps_change(const struct tp_levels *base, const struct tp_levels *new_side, struct tp_arena *arena);

/* Whether short steps back a change of wall clock: they changed by half of it or more. A busy machine takes its time from
 * many steps, never from all. Both are logarithms, without what the machine did to all. */
bool tp_short_steps_back(double change, double low);
#define TP_NOT_BACKED "the short steps do not show it"

enum tp_limit_verdict { TP_LIMIT_PASS, TP_LIMIT_FAIL, TP_LIMIT_UNCLEAR };

/* A limit "at most `most`" (relative): fail when the whole interval is above it, pass when the whole interval is at or
 * below it. NaN bounds are unclear. */
enum tp_limit_verdict tp_run_change_limit(const struct tp_run_change *change, double most);

enum { TP_RUNS_NEEDED_MOST = 200 };

/* Runs a side, the base having `base_count` already, until half of the interval is no longer than `most`; 0: even
 * TP_RUNS_NEEDED_MOST are too few. */
unsigned tp_runs_needed(const struct tp_run_noise *noise, double most, size_t base_count);

#endif
