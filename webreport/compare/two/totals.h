/* Compares the totals of both sides: kernels, host operators, and wall time of the step.
 *
 * Totals are tested before rows, and each run is one sample (run_change.h). If there are enough runs to show the noise,
 * the false-positive rate of a whole comparison is 1 %, shared among the totals and the rows (totals.c). If a total
 * changed, its share of this rate passes to the rows of the total (Bretz and others 2009). */
#ifndef TP_WEBREPORT_COMPARE_TWO_TOTALS_H
#define TP_WEBREPORT_COMPARE_TWO_TOTALS_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/sides.h"

#define TP_CHANGE_LEAST_SHARE 0.002 /* smallest reported change, as a share of a total */

enum tp_change_verdict {
    TP_CHANGE_NEUTRAL,
    TP_CHANGE_IMPROVED,
    TP_CHANGE_REGRESSED,
    TP_CHANGE_INCONCLUSIVE, /* too few samples, or the sides are not comparable */
    TP_CHANGE_MIXED,        /* for a whole comparison: some parts improved and some regressed */
    TP_CHANGE_HINT,         /* for a row: chance can explain the change */
    TP_CHANGE_VERDICTS
};

struct tp_total {
    bool is_known; /* true: every run of both sides has a level */
    struct tp_run_change change;
    enum tp_change_verdict verdict;
};

/* Conditions for a verdict on a total or a row. */
struct tp_change_limits {
    double threshold;  /* smallest relative change (0.03 is 3 %); for a verdict, the whole interval must be above it */
    bool is_open;      /* true: the verdict must be neither improved nor regressed */
    bool is_work_same; /* true: exact counts show that the steps of both sides do the same work */
};

/* Compares the levels of one quantity. share: share of TP_RUN_ERROR_CHANCE for the quantity
 * (tp_run_allowed_error_chance). Allocates from sides->arena. */
struct tp_total tp_total_of_quantity(const struct tp_sides *sides, enum tp_quantity quantity,
                                     const struct tp_side_levels levels[TP_SIDES],
                                     const struct tp_change_limits *limits, double share);

/* Returns the probability of a wrong verdict that is allowed for all rows together. The result is the sum of the rows'
 * share and the shares of the totals that changed. */
double tp_totals_error_chance_of_rows(const struct tp_total totals[TP_QUANTITIES]);

/* Compares all quantities except TP_QUANTITY_ROW. */
void tp_totals_build(struct tp_total totals[TP_QUANTITIES], const struct tp_sides *sides,
                     const struct tp_change_limits *limits);

/* Returns "neutral", "improved", "regressed", "inconclusive", "mixed" or "hint". The text is static. */
const char *tp_change_verdict_name(enum tp_change_verdict verdict);

#endif
