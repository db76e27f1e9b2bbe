/* What changed from row to row: how much, by count and by time per call, and whether it is more than noise.
 *
 * A row is reported when the change of a typical step (without the extremes: stats.h) is at least
 * TP_CHANGE_LEAST_SHARE of a step of BASE and its whole interval lies beyond the noise floor of the row. The intervals
 * are wide enough that with all rows together one comparison of a hundred would report anything by chance (Bonferroni).
 * Numbers of calls that are the same in every step are exact: synchronisations and copies that come or go are reported
 * whatever they cost. */
#ifndef TP_WEBREPORT_COMPARE_CHANGES_H
#define TP_WEBREPORT_COMPARE_CHANGES_H

#include "webreport/compare/matching.h"

#define TP_CHANGE_CONFIDENCE 0.99   /* of a whole comparison */
#define TP_CHANGE_LEAST_SHARE 0.002 /* of a step */

enum tp_change_verdict {
    TP_CHANGE_NEUTRAL,
    TP_CHANGE_IMPROVED,
    TP_CHANGE_REGRESSED,
    TP_CHANGE_INCONCLUSIVE, /* too few samples to tell, or the sides are not comparable */
    TP_CHANGE_VERDICTS
};

/* Per step: ns and calls are divided by the number of steps of their side. */
struct tp_change {
    const struct tp_match *match;
    struct tp_identity identity; /* of NEW, or of BASE when it is removed */
    double calls[TP_SIDES], ns[TP_SIDES];
    double call_ns[TP_SIDES];  /* mean of a call; NaN without calls */
    int64_t change_ns;         /* by_count_ns + by_time_ns */
    int64_t by_count_ns;       /* (calls of NEW - calls of BASE) times what a call took in BASE */
    int64_t by_time_ns;        /* calls of NEW times (time per call of NEW - that of BASE) */
    struct tp_bounds interval; /* of the change of a typical step, ns; NaN bounds: too few samples */
    double share;              /* change as a share of BASE's mean step, signed; NaN without steps */
    bool is_count_change;      /* beyond doubt */
    bool is_reported;          /* a verdict other than neutral, or a kernel that was replaced */
    enum tp_change_verdict verdict;
    uint32_t cause; /* index of the change that explains this one; TP_NO_ID: it stands for itself */
};

struct tp_changes {
    struct tp_change *items; /* in the order of the matches; last "Data loading", of kind TP_SUMMARY_KIND_COUNT */
    uint32_t count;
    uint32_t tested_count; /* rows that share the doubt */
    uint32_t cause_count;  /* reported ones that stand for themselves */
    double confidence;     /* of each interval */
};

/* What a change must exceed. */
struct tp_change_limits {
    double floor;         /* relative: the greater of noise floor and threshold */
    bool is_inconclusive; /* nothing is improved or regressed */
};

/* Judges every match in sides->arena (guard set by the caller). matches must outlive the changes. */
void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_change_limits *limits);

/* Sets `cause` of each reported change: an operator's time follows from its kernels, a wait from what it waits for, a
 * runtime call from the copy it starts (explain.c). */
void tp_changes_explain(struct tp_changes *changes);

/* "neutral", "improved", "regressed", "inconclusive". */
const char *tp_change_verdict_name(enum tp_change_verdict verdict);

/* Improved when the interval lies below -floor, regressed when above +floor; NaN bounds are neutral. */
enum tp_change_verdict tp_bounds_verdict(const struct tp_bounds *interval, double floor);

#endif
