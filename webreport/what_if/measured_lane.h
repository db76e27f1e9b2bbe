/* Replays a graph without a change: each node then has its measured times. */
#ifndef TP_WEBREPORT_WHAT_IF_MEASURED_LANE_H
#define TP_WEBREPORT_WHAT_IF_MEASURED_LANE_H

#include "webreport/what_if/replay_lanes.h"

/* Returns the number of nodes whose measured times do not follow from the measured times of their sources, the
 * latencies and the residuals. If the result is 0, a replay without a change gives all nodes their measured times. */
uint64_t tp_count_contradictions(const struct tp_replay_graph *graph);

/* Sets the results of a lane without a change from the measured times. */
void tp_measured_lane(struct tp_replay_lane *lane, const struct tp_step_frame *frame, struct tp_arena *arena);

/* Returns the edge that decided the measured start of a node. */
struct tp_binding tp_measured_binding(const struct tp_replay_graph *graph, uint32_t node);

#endif
