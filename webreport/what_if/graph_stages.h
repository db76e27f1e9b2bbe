/* Declares the stages that build a replay graph, in the order in which replay_graph_build.c calls them. */
#ifndef TP_WEBREPORT_WHAT_IF_GRAPH_STAGES_H
#define TP_WEBREPORT_WHAT_IF_GRAPH_STAGES_H

#include "webreport/what_if/graph_parts.h"

/* Finds the calls that wait, and what they wait for (waiting_calls.c). */
void tp_graph_find_waiting_calls(struct tp_graph_build *build);
/* Finds the reference thread, hand-overs and holes (handovers.c). */
void tp_graph_find_handovers(struct tp_graph_build *build);
/* Makes the nodes of threads, with their parts (host_nodes.c, host_parts.c), and of device operations. */
void tp_graph_find_collectives(struct tp_graph_build *build);
void tp_graph_add_host_nodes(struct tp_graph_build *build);
void tp_graph_add_device_nodes(struct tp_graph_build *build);
/* Adds the edges between and on threads (host_edges.c), of operations (device_edges.c) and of launches that wait for a
 * full queue (queue_edges.c). */
void tp_graph_add_thread_edges(struct tp_graph_build *build);
void tp_graph_add_device_edges(struct tp_graph_build *build);
void tp_graph_add_wait_edges(struct tp_graph_build *build);
void tp_graph_add_queue_edges(struct tp_graph_build *build);
void tp_graph_add_arrival_edges(struct tp_graph_build *build);
/* Fits the latencies, and sets the residual of each node (latencies.c). */
void tp_graph_fit_latencies(struct tp_graph_build *build);

#endif
