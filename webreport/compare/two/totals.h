/* The totals of both sides against each other: kernels, operators on the host, the step's wall time. They are judged
 * before any row; the run is the sample (run_change.h).
 *
 * Where runs tell the noise, chance moves one of a hundred comparisons in all, and each total and the rows have their
 * parts of that (totals.c). A total that moved passes its part on to what it is made of, the rows (Bretz and others
 * 2009). */
#ifndef TP_WEBREPORT_COMPARE_TWO_TOTALS_H
#define TP_WEBREPORT_COMPARE_TWO_TOTALS_H

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/sides.h"

#define TP_CHANGE_LEAST_SHARE 0.002 /* of a total: less is never told */

enum tp_change_verdict {
    TP_CHANGE_NEUTRAL,
    TP_CHANGE_IMPROVED,
    TP_CHANGE_REGRESSED,
    TP_CHANGE_INCONCLUSIVE, /* too few samples to tell, or the sides are not comparable */
    TP_CHANGE_MIXED,        /* of all: something improved and something regressed */
    TP_CHANGE_HINT,         /* of a row: it may be chance */
    TP_CHANGE_VERDICTS
};

struct tp_total {
    bool is_known; /* both sides have a level in every run */
    struct tp_run_change change;
    enum tp_change_verdict verdict;
};

/* What a change must exceed, and whether anything may be said. */
struct tp_change_limits {
    double threshold;  /* relative: an interval must lie beyond it */
    bool is_open;      /* nothing is improved or regressed */
    bool is_work_same; /* the steps of both sides do the same, by exact counts: nothing came or went */
};

/* Compares levels of one quantity, which has `share` of the doubt (tp_run_doubt_of). In sides->arena. */
struct tp_total tp_total_of(const struct tp_sides *sides, enum tp_quantity quantity,
                            const struct tp_side_levels levels[TP_SIDES], const struct tp_change_limits *limits,
                            double share);

/* What may be doubted of a verdict on any of the rows: their own part, and that of the totals that moved. */
double tp_totals_doubt_of_rows(const struct tp_total totals[TP_QUANTITIES]);

/* Of every quantity but TP_QUANTITY_ROW. */
void tp_totals_build(struct tp_total totals[TP_QUANTITIES], const struct tp_sides *sides,
                     const struct tp_change_limits *limits);

/* "neutral", "improved", "regressed", "inconclusive", "mixed", "hint". */
const char *tp_change_verdict_name(enum tp_change_verdict verdict);

#endif
