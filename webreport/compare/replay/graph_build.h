/* Builds the graph of a job's steps from the rows of slots of its ranks. */
#ifndef TP_WEBREPORT_COMPARE_REPLAY_GRAPH_BUILD_H
#define TP_WEBREPORT_COMPARE_REPLAY_GRAPH_BUILD_H

#include "webreport/compare/replay/step_graph.h"

/* Initializes an empty graph. */
void tp_graph_init(struct tp_graph *graph, struct tp_arena *arena);

/* Adds a rank. Ranks must be added in ascending order of their numbers. A rank without slots is ignored. */
void tp_graph_add_rank(struct tp_graph *graph, const struct tp_graph_source *source);

/* Completes the graph. Finds the steps that all ranks have, and the families of groups, classes of ranks, and
 * executions of collectives. */
void tp_graph_finish(struct tp_graph *graph);

#endif
