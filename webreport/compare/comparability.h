/* Whether two sides may be compared at all: what they must have in common, fact by fact, and a score.
 *
 * Each fact that differs costs its weight of 100 points; one that only one side tells costs a quarter of it; one that
 * neither tells costs nothing. Below TP_COMPARABLE_FROM every result is inconclusive: another GPU or another batch is
 * no regression. */
#ifndef TP_WEBREPORT_COMPARE_COMPARABILITY_H
#define TP_WEBREPORT_COMPARE_COMPARABILITY_H

#include "webreport/compare/sides.h"

enum { TP_COMPARABLE_FROM = 50 };

enum tp_fact_verdict { TP_FACT_SAME, TP_FACT_DIFFERS, TP_FACT_UNKNOWN };

struct tp_fact_pair {
    struct tp_str name, values[TP_SIDES]; /* "" : the side does not tell; several values of a side: "a | b" */
    enum tp_fact_verdict verdict;
    unsigned weight; /* points */
};

struct tp_comparability {
    struct tp_fact_pair *facts; /* those of the summaries in their order, then what is computed here */
    uint32_t fact_count;
    uint32_t counts[TP_FACT_UNKNOWN + 1]; /* by verdict */
    unsigned score;                       /* 0 .. 100 */
    bool is_low;                          /* score below TP_COMPARABLE_FROM */
};

/* Compares the facts in sides->arena (guard set by the caller). */
void tp_comparability_build(struct tp_comparability *comparability, const struct tp_sides *sides);

/* "same", "differs", "unknown". */
const char *tp_fact_verdict_name(enum tp_fact_verdict verdict);

#endif
