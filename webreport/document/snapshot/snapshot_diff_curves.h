/* Puts the memory curves of two snapshots on one axis. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DIFF_CURVES_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DIFF_CURVES_H

#include "webreport/compare/snapshot/snapshot_diff.h"
#include "webreport/document/data.h"

/* Returns the curves of the allocated bytes of both sides with one horizontal axis. *is_by_step: whether the axis
 * counts steps; otherwise it is the share of the events. Returns kind NONE if no side has events. */
struct tp_data tp_snapshot_diff_curves(const struct tp_snapshot_diff_device *device, bool *is_by_step,
                                       struct tp_arena *arena);

#endif
