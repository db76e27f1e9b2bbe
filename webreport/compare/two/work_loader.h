/* Compares the functions of the user in the data loader of two sides. */
#ifndef TP_WEBREPORT_COMPARE_TWO_WORK_LOADER_H
#define TP_WEBREPORT_COMPARE_TWO_WORK_LOADER_H

#include "webreport/compare/sides.h"
#include "webreport/compare/work/work_diff.h"

enum { TP_WORK_RUNS = 3 }; /* number of newest runs of a side that must agree on a count */

/* Adds functions of the data loader with another number of calls or another time. */
void tp_work_add_functions(struct tp_work_diff *diff, const struct tp_side_input *const sides[TP_SIDES],
                           struct tp_arena *arena);

#endif
