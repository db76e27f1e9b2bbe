/* Checks memory snapshots against a budget. A line of the budget never passes on what a snapshot does not show: a limit
 * is kept or broken only if it is so for every value that is possible. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_SNAPSHOTS_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_SNAPSHOTS_H

#include "webreport/compare/gate/gate.h"
#include "webreport/measure/snapshot/snapshot_result.h"

/* The snapshots of a side. */
struct tp_check_snapshots {
    const char *name; /* name of the side as shown to users; NULL if the side does not exist */
    const struct tp_snapshot_result *items;
    size_t count;
};

/* Checks each device of each snapshot of `run`. A device is compared with the same device of the baseline: of its only
 * snapshot, or of the snapshot with the same rank in the file name. *input: receives the sides as summaries for the
 * document; its budget must be set, and it must outlive the check. Allocates from `arena`, whose guard must be set. */
void tp_check_snapshots_build(struct tp_check *check, struct tp_check_input *input,
                              const struct tp_check_snapshots *run, const struct tp_check_snapshots *base,
                              struct tp_arena *arena);

#endif
