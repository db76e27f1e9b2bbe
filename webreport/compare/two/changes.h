/* Changes of rows between two sides: how much each row changed by its number of calls and by its time per call, and
 * whether the change is more than noise.
 *
 * Times are tested for kernels, or for host operators if neither side has kernels, in rows that every run has with
 * equal counts (row_judge.h). With four runs or more, a change gets a verdict; chance causes any verdict in at most one
 * of a hundred comparisons. Other likely changes are hints. With fewer runs, there are only hints, and only if a total
 * changed. A number of calls that is equal in every step is exact. Added or removed calls are reported if they take
 * TP_CHANGE_LEAST_SHARE of a step; synchronisations and copies are always reported. Other rows have times and counts
 * but no verdict. */
#ifndef TP_WEBREPORT_COMPARE_TWO_CHANGES_H
#define TP_WEBREPORT_COMPARE_TWO_CHANGES_H

#include "webreport/compare/two/matching.h"
#include "webreport/compare/two/totals.h"
#include "writer/base/stats.h"

/* Change of a row. ns and calls are values per step, for each side. */
struct tp_change {
    const struct tp_match *match;
    struct tp_identity identity; /* identity of the row in NEW; for a removed row, in BASE */
    struct tp_str line;          /* line of the calls with the most time on the same side; ptr NULL if unknown */
    double calls[TP_SIDES], ns[TP_SIDES];
    double call_ns[TP_SIDES];        /* mean time of a call, ns; NaN without calls */
    int64_t change_ns;               /* change_by_call_count_ns + change_by_call_time_ns, per step */
    int64_t change_by_call_count_ns; /* (calls of NEW - calls of BASE) * time per call of BASE, ns */
    int64_t change_by_call_time_ns;  /* calls of NEW * (time per call of NEW - time per call of BASE), ns */
    /* 99 % interval of the row's change in a typical step, ns, without the shift that all rows share; NaN if the row
     * was not tested */
    struct tp_confidence_interval interval;
    double share;         /* change divided by BASE's mean step, with its sign (0.03 is 3 %); NaN without steps */
    bool is_count_change; /* true: the number of calls per step changed, according to exact counts */
    bool is_reported;     /* true: the verdict is not neutral, or a kernel was replaced */
    enum tp_change_verdict verdict;
    uint32_t cause; /* index of the change that explains this change, or TP_NO_ID */
};

/* Sums over all functions of programs that were recorded from outside (function_judge.h). All sums are 0 if a side
 * has no functions. */
struct tp_function_sums {
    double ns[TP_SIDES], samples[TP_SIDES]; /* ns: mean time per run; samples: number of samples in all runs */
    uint32_t judged_function_count;
    uint32_t largest;         /* index in `items` of the tested function with the most time in BASE */
    double detectable_growth; /* relative growth of that function that is detected with a probability of 80 % */
};

struct tp_changes {
    /* changes in the order of the matches, then the change of data loading (kind TP_SUMMARY_KIND_COUNT) */
    struct tp_change *items;
    uint32_t count;
    uint32_t tested_count; /* number of rows that were tested together */
    uint32_t cause_count;  /* number of reported changes without a cause */
    struct tp_function_sums functions;
    double shift;     /* relative change that all tested rows share (0.03 is 3 %); 0 with too few rows */
    double low_shift; /* relative change that short steps of all tested rows share, as in struct tp_row_judgement */
};

/* Sets `cause` of each reported change. An operator's time follows from its kernels, a wait from the awaited work,
 * and a runtime call from the copy that it starts. (change_causes.c) */
void tp_changes_find_causes(struct tp_changes *changes);

#endif
