/* Compares the work of two runs: pairs of counts, their differences, and the names and groups of the changes. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_BUILD_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_BUILD_H

#include "webreport/compare/work/work_diff.h"

/* Compares two signatures. Allocates from `arena` (guard set by the caller). is_bare: compare names only. */
void tp_work_diff_build(struct tp_work_diff *diff, const struct tp_signature *base, const struct tp_signature *other,
                        bool is_bare, struct tp_arena *arena);

#endif
