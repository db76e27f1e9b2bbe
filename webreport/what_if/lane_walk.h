/* Visits the stacks of a thread, divided at the ends of the nodes of the thread. */
#ifndef TP_WEBREPORT_WHAT_IF_LANE_WALK_H
#define TP_WEBREPORT_WHAT_IF_LANE_WALK_H

#include "webreport/model/stack_walk.h"
#include "webreport/what_if/replay_graph.h"

/* Receives the segments of tp_graph_walk_lane. */
struct tp_lane_visit {
    tp_stack_visit visit;
    void *context;
};

/* Calls the visitor for the segments of the stacks of a thread, each cut at the ends of the nodes of `lane`; the tag of
 * a segment is its node. Times between the nodes are left out. */
void tp_graph_walk_lane(struct tp_stack_walk *walk, const struct tp_replay_node *nodes, uint32_t thread,
                        struct tp_graph_lane lane, const struct tp_lane_visit *visit);

#endif
