/* Replays a graph under several changes in one pass. */
#ifndef TP_WEBREPORT_WHAT_IF_REPLAY_RUN_H
#define TP_WEBREPORT_WHAT_IF_REPLAY_RUN_H

#include "webreport/what_if/replay_lanes.h"

/* Replays the graph for all lanes of `replay`, whose members frame, lanes, lane_count and path_count must be set. All
 * memory comes from `arena`. */
void tp_what_if_replay_run(struct tp_what_if_replay *replay, struct tp_arena *arena);

/* Gives the memory of a replay back to the arena. The results of the lanes stay. */
void tp_replay_release(struct tp_what_if_replay *replay, struct tp_arena *arena);

#endif
