/* Compares the user's functions in the data loaders of two sides. */
#ifndef TP_WEBREPORT_COMPARE_TWO_WORK_LOADER_H
#define TP_WEBREPORT_COMPARE_TWO_WORK_LOADER_H

#include "webreport/compare/sides.h"
#include "webreport/compare/work/work_diff.h"

/* largest number of compared runs of a side, which are the newest ones; a count is used only if it is equal in all of
 * them */
enum { TP_WORK_RUNS = 3 };

/* Adds a change for each function of the data loader with a changed number of calls or a changed time. */
void tp_work_add_functions(struct tp_work_diff *diff, const struct tp_side_input *const sides[TP_SIDES],
                           struct tp_arena *arena);

#endif
