/* Compares two memory snapshots: see snapshot_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_BUILD_H
#define TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_BUILD_H

#include "webreport/compare/snapshot/snapshot_diff.h"

/* Compares two results. allowed_ratio: largest rise of the peak that is no regression; 0.03 is 3 %. Allocates from
 * `arena`, whose guard must be set. */
void tp_snapshot_diff_build(struct tp_snapshot_diff *diff, const struct tp_snapshot_result *before,
                            const struct tp_snapshot_result *after, double allowed_ratio, struct tp_arena *arena);

#endif
