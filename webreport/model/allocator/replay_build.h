/* Replays the events of one device of a memory snapshot. See replay.h for the data. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_BUILD_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_REPLAY_BUILD_H

#include "webreport/model/allocator/replay.h"

/* Replays all events. on_oom: may be NULL. snapshot: must outlive the replay. */
void tp_replay_build(struct tp_replay *replay, struct tp_arena *arena, const struct tp_snapshot *snapshot,
                     int64_t device, tp_replay_oom *on_oom, void *context);

#endif
