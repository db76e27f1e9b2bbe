/* Builds the replay graph of a trace (docs/definitions.md, section "What if"). */
#ifndef TP_WEBREPORT_WHAT_IF_REPLAY_GRAPH_BUILD_H
#define TP_WEBREPORT_WHAT_IF_REPLAY_GRAPH_BUILD_H

#include "webreport/what_if/replay_graph.h"

/* Builds the graph in `arena`, whose guard must be set. The model must outlive the graph. Returns false, with an empty
 * graph, if the trace has more streams than TP_MAX_REPLAY_STREAMS. */
bool tp_replay_graph_build(struct tp_replay_graph *graph, const struct tp_model *model, struct tp_arena *arena);

/* Fills the order of the nodes of a graph, in which each node comes after its sources. Leaves out the nodes of a cycle.
 * The nodes and edges must be complete. `arena` must live as long as the graph. */
void tp_replay_graph_sort(struct tp_replay_graph *graph, struct tp_arena *arena);

#endif
