/* Reads memory snapshots, and checks them against a budget and a baseline. */
#ifndef TP_WEBREPORT_SESSION_CHECK_SNAPSHOTS_H
#define TP_WEBREPORT_SESSION_CHECK_SNAPSHOTS_H

#include "webreport/compare/gate/gate.h"
#include "webreport/session/snapshot_session.h"

/* The snapshots to check. */
struct tp_snapshot_check {
    struct tp_snapshot_session run; /* how to read the checked snapshots */
    const char *baseline;           /* snapshot, or folder of snapshots; NULL without a baseline */
};

/* Returns whether the inputs of a check are memory snapshots: 1, 0, or TP_EUSAGE if only some are. */
int tp_snapshot_check_detect(const char *const *inputs, size_t count, const char *include);

/* Reads and checks the snapshots. input->budget must be set, and `input` must outlive the check. Allocates from
 * `arena`, whose guard the caller sets. Returns 0, or an error of tp_snapshot_session_run. */
int tp_snapshot_check_run(struct tp_check *check, struct tp_check_input *input, const struct tp_snapshot_check *how,
                          struct tp_arena *arena, struct tp_error *err);

#endif
