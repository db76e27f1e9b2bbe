/* Changes from row to row: how much a row changed, by the number of calls and by the time per call, and whether the
 * change is more than noise.
 * Times of kernels are judged, or of host operators if neither side has kernels, in rows that every run has with equal
 * counts (row_judge.h). With four runs or more a change gets a verdict if chance causes any verdict in at most one of a
 * hundred comparisons; otherwise it is a hint, with fewer runs only if a total changed. Numbers of calls that are equal
 * in every step are exact: added or removed calls are reported if they take TP_CHANGE_LEAST_SHARE of a step, and
 * synchronisations and copies always. Other rows have numbers but no verdict. */
#ifndef TP_WEBREPORT_COMPARE_TWO_CHANGES_H
#define TP_WEBREPORT_COMPARE_TWO_CHANGES_H

#include "webreport/compare/two/matching.h"
#include "webreport/compare/two/totals.h"
#include "writer/base/stats.h"

/* Per step: ns and calls are divided by the number of steps of their side. */
struct tp_change {
    const struct tp_match *match;
    struct tp_identity identity; /* that of NEW, or that of BASE for a removed row */
    double calls[TP_SIDES], ns[TP_SIDES];
    double call_ns[TP_SIDES];  /* mean of a call; NaN without calls */
    int64_t change_ns;         /* by_count_ns + by_time_ns */
    int64_t by_count_ns;       /* (calls of NEW - calls of BASE) times what a call took in BASE */
    int64_t by_time_ns;        /* calls of NEW times (time per call of NEW - that of BASE) */
    struct tp_bounds interval; /* 99 % interval of the row's own change without the shift that all rows share, ns of a
                                  typical step; NaN if the row was not judged */
    double share;              /* change as a share of BASE's mean step, signed; NaN without steps */
    bool is_count_change;      /* the number of calls per step changed; exact */
    bool is_reported;          /* a verdict other than neutral, a hint, or a kernel that was replaced */
    enum tp_change_verdict verdict;
    uint32_t cause; /* index of the change that explains this one, or TP_NO_ID */
};

/* Sums of the functions of programs recorded from outside (function_judge.h); all 0 if a side has none. */
struct tp_function_sums {
    double ns[TP_SIDES], samples[TP_SIDES]; /* ns: mean of a run; samples: of all runs */
    uint32_t judged_count;
    uint32_t largest;    /* index of the judged function with most time in the base */
    double largest_sees; /* relative growth of `largest` that four of five comparisons would find */
};

struct tp_changes {
    /* in the order of the matches; the last one is data loading (kind TP_SUMMARY_KIND_COUNT) */
    struct tp_change *items;
    uint32_t count;
    uint32_t tested_count; /* rows that were judged together */
    uint32_t cause_count;  /* reported changes without a cause */
    struct tp_function_sums functions;
    double shift;          /* relative change that these rows share; 0 with too few rows */
    double low_shift;      /* as in struct tp_row_judgement */
};

/* Sets `cause` of each reported change: an operator's time follows from its kernels, a wait from what it waits for, a
 * runtime call from the copy it starts (explain.c). */
void tp_changes_explain(struct tp_changes *changes);

#endif
