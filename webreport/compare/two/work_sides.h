/* Compares the work of two sides: the newest run of each rank with the newest run of the same rank in BASE. */
#ifndef TP_WEBREPORT_COMPARE_TWO_WORK_SIDES_H
#define TP_WEBREPORT_COMPARE_TWO_WORK_SIDES_H

#include "webreport/compare/comparability.h"
#include "webreport/compare/two/replaced.h"

enum { TP_WORK_RANKS = 64 }; /* largest number of compared ranks; these are the ranks with the lowest numbers */

/* Compares the work of both sides. Allocates from sides->arena, whose guard the caller sets. A count that differs
 * between the TP_WORK_RUNS newest runs of a side is ignored. If the input differs, only names are compared. If the
 * workload differs in another way, budget limits ignore all changes. A change that several ranks share is reported only
 * once. *replaced: times of operators that replace each other. */
void tp_work_sides_build(struct tp_work_diff *diff, struct tp_replaced *replaced, const struct tp_sides *sides,
                         const struct tp_comparability *comparability);

/* Returns whether `diff` has a change that a budget limit includes in its count. */
bool tp_work_has_limited_change(const struct tp_work_diff *diff);

#endif
