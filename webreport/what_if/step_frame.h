/* Finds the nodes of the host at which the analysed steps begin and end. */
#ifndef TP_WEBREPORT_WHAT_IF_STEP_FRAME_H
#define TP_WEBREPORT_WHAT_IF_STEP_FRAME_H

#include "webreport/what_if/replay_lanes.h"

/* Prepares the computation of steps. `arena` must live as long as the frame. */
void tp_step_frame_build(struct tp_step_frame *frame, const struct tp_replay_graph *graph, struct tp_arena *arena);

#endif
