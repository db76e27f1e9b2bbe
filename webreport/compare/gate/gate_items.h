/* Collects the items of a check. Checks of traces and of memory snapshots use these functions. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_ITEMS_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_ITEMS_H

#include "webreport/compare/gate/gate.h"

/* Appends an item without numbers to `items` (elements: struct tp_check_item). The caller sets status, cause and
 * reason. */
struct tp_check_item *tp_check_add_item(struct tp_vec *items, const struct tp_budget_line *line, struct tp_str subject);

/* Sorts the items by status (failed first) and by line of the budget, and stores them in the check with their counts,
 * the verdict and lacks_baseline. Items of equal status and line keep their order, so that ranks keep theirs. */
void tp_check_take_items(struct tp_check *check, struct tp_vec *items, struct tp_arena *arena);

#endif
