/* The work of two sides compared: of each rank its newest run with that of the same rank in the base. */
#ifndef TP_WEBREPORT_COMPARE_WORK_SIDES_H
#define TP_WEBREPORT_COMPARE_WORK_SIDES_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/replaced.h"

enum { TP_WORK_RUNS = 3, TP_WORK_RANKS = 64 }; /* newest runs of a side; ranks that are compared, the first ones */

/* Compares both sides in sides->arena (guard set by the caller). A count that the TP_WORK_RUNS newest runs of a side do
 * not agree on is set aside. With another input names alone are compared; where something else makes it another
 * workload, nothing is gated. Of changes that several ranks share one is told. *replaced: what operators that replace
 * each other take. */
void tp_work_sides_build(struct tp_work_diff *diff, struct tp_replaced *replaced, const struct tp_sides *sides,
                         const struct tp_comparability *comparability);

/* Whether some change counts for a limit. */
bool tp_work_has_gated(const struct tp_work_diff *diff);

#endif
