/* Compares the totals of both sides: kernels, host operators, wall time of the step. Totals are judged before rows; the
 * run is the sample (run_change.h).
 * If the runs show the noise, the false-positive rate of a whole comparison is 1 %, shared among the totals and the
 * rows (totals.c). A total that changed passes its share on to the rows, of which it consists (Bretz and others
 * 2009). */
#ifndef TP_WEBREPORT_COMPARE_TWO_TOTALS_H
#define TP_WEBREPORT_COMPARE_TWO_TOTALS_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/sides.h"

#define TP_CHANGE_LEAST_SHARE 0.002 /* smallest change that is reported, as a share of a total */

enum tp_change_verdict {
    TP_CHANGE_NEUTRAL,
    TP_CHANGE_IMPROVED,
    TP_CHANGE_REGRESSED,
    TP_CHANGE_INCONCLUSIVE, /* too few samples, or the sides are not comparable */
    TP_CHANGE_MIXED,        /* of a comparison: something improved and something regressed */
    TP_CHANGE_HINT,         /* of a row: the change may be chance */
    TP_CHANGE_VERDICTS
};

struct tp_total {
    bool is_known; /* both sides have a level in every run */
    struct tp_run_change change;
    enum tp_change_verdict verdict;
};

/* Conditions for a verdict. */
struct tp_change_limits {
    double threshold;  /* relative; a verdict needs an interval entirely above it */
    bool is_open;      /* no improved or regressed verdict */
    bool is_work_same; /* the steps of both sides do the same work by exact counts; nothing was added or removed */
};

/* Compares the levels of one quantity. share: its share of the doubt (tp_run_doubt_of). Allocates from sides->arena. */
struct tp_total tp_total_of(const struct tp_sides *sides, enum tp_quantity quantity,
                            const struct tp_side_levels levels[TP_SIDES], const struct tp_change_limits *limits,
                            double share);

/* Returns the doubt for verdicts on rows: their own share, and the shares of the totals that changed. */
double tp_totals_doubt_of_rows(const struct tp_total totals[TP_QUANTITIES]);

/* Compares every quantity except TP_QUANTITY_ROW. */
void tp_totals_build(struct tp_total totals[TP_QUANTITIES], const struct tp_sides *sides,
                     const struct tp_change_limits *limits);

/* Returns "neutral", "improved", "regressed", "inconclusive", "mixed" or "hint". Static. */
const char *tp_change_verdict_name(enum tp_change_verdict verdict);

#endif
