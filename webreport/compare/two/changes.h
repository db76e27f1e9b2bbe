/* What changed from row to row: how much, by count and by time per call, and whether it is more than noise.
 *
 * Times are judged of kernels, or of operators on the host where neither side has kernels, in rows that every run has
 * with equal counts (row_judge.h): a verdict with four runs or more, when chance would give one in a hundred
 * comparisons any; else, or with fewer runs and only where a total moved, a hint. Numbers of calls that are the same in
 * every step are exact: what comes or goes is reported when it takes TP_CHANGE_LEAST_SHARE of a step, synchronisations
 * and copies whatever they cost. Of all other rows only the numbers are told. */
#ifndef TP_WEBREPORT_COMPARE_TWO_CHANGES_H
#define TP_WEBREPORT_COMPARE_TWO_CHANGES_H

#include "webreport/compare/two/matching.h"
#include "webreport/compare/two/totals.h"
#include "writer/base/stats.h"

/* Per step: ns and calls are divided by the number of steps of their side. */
struct tp_change {
    const struct tp_match *match;
    struct tp_identity identity; /* of NEW, or of BASE when it is removed */
    double calls[TP_SIDES], ns[TP_SIDES];
    double call_ns[TP_SIDES];  /* mean of a call; NaN without calls */
    int64_t change_ns;         /* by_count_ns + by_time_ns */
    int64_t by_count_ns;       /* (calls of NEW - calls of BASE) times what a call took in BASE */
    int64_t by_time_ns;        /* calls of NEW times (time per call of NEW - that of BASE) */
    struct tp_bounds interval; /* 99 %, of the row's own change in ns of a typical step, without what all rows have in
                                  common; NaN: it was not judged */
    double share;              /* change as a share of BASE's mean step, signed; NaN without steps */
    bool is_count_change;      /* beyond doubt */
    bool is_reported;          /* a verdict other than neutral, a hint, or a kernel that was replaced */
    enum tp_change_verdict verdict;
    uint32_t cause; /* index of the change that explains this one; TP_NO_ID: it stands for itself */
};

/* Functions of programs recorded from outside (function_judge.h); all 0 where a side has none. */
struct tp_function_sums {
    double ns[TP_SIDES], samples[TP_SIDES]; /* ns: mean of a run; samples: of all runs */
    uint32_t judged_count;
    uint32_t largest;    /* index of the judged one with most time in the base .. */
    double largest_sees; /* .. and the relative growth of it that four of five comparisons would find */
};

struct tp_changes {
    struct tp_change *items; /* in the order of the matches; last "Data loading", of kind TP_SUMMARY_KIND_COUNT */
    uint32_t count;
    uint32_t tested_count; /* rows that were judged together */
    uint32_t cause_count;  /* reported ones that stand for themselves */
    struct tp_function_sums functions;
    double shift;          /* relative: what these rows have in common; 0 with too few of them */
    double low_shift;      /* as in struct tp_row_judgement */
};

/* Judges every match in sides->arena (guard set by the caller). matches must outlive the changes. */
void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_replaced *replaced, const struct tp_total totals[TP_QUANTITIES],
                      const struct tp_change_limits *limits);

/* Whether a machine that is loaded on one side explains the totals: wall clock alone, all rows moved by one factor, of a
 * tenth at least, and no total that moved did so by more than that for sure. */
bool tp_changes_are_of_machine(const struct tp_changes *changes, const struct tp_sides *sides,
                               const struct tp_total totals[TP_QUANTITIES], double threshold);

/* Sets `cause` of each reported change: an operator's time follows from its kernels, a wait from what it waits for, a
 * runtime call from the copy it starts (explain.c). */
void tp_changes_explain(struct tp_changes *changes);

#endif
