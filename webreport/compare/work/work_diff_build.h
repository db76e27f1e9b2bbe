/* Compares the work of two runs: pairs the counts of both runs, then names, groups and numbers the differences. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_BUILD_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_BUILD_H

#include "webreport/compare/work/work_diff.h"

/* Compares two signatures. Allocates from `arena`, whose guard the caller sets. has_names_only: compares only names,
 * not shapes and types. */
void tp_work_diff_build(struct tp_work_diff *diff, const struct tp_signature *base, const struct tp_signature *other,
                        bool has_names_only, struct tp_arena *arena);

#endif
