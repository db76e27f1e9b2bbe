/* Matches the blocks of two memory snapshots, and adds up their bytes: see snapshot_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_ROWS_H
#define TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_ROWS_H

#include "webreport/compare/snapshot/snapshot_diff.h"

/* Fill the tables of a device from its two sides. */
void tp_snapshot_diff_match_peak(struct tp_snapshot_diff_device *device, struct tp_arena *arena);
void tp_snapshot_diff_match_end(struct tp_snapshot_diff_device *device, struct tp_arena *arena);
void tp_snapshot_diff_match_categories(struct tp_snapshot_diff_device *device, struct tp_arena *arena);

#endif
