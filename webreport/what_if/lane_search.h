/* Finds nodes of a thread by time. */
#ifndef TP_WEBREPORT_WHAT_IF_LANE_SEARCH_H
#define TP_WEBREPORT_WHAT_IF_LANE_SEARCH_H

#include "webreport/what_if/graph_parts.h"

/* Returns the node of a thread that starts at or contains the time `at`; TP_NO_ID: no such node. */
uint32_t tp_graph_node_at(const struct tp_graph_build *build, uint32_t thread, int64_t at);
/* Returns the number of nodes of a thread that start before the time `at`, or, if `including`, at or before it. */
uint32_t tp_graph_nodes_before(const struct tp_graph_build *build, uint32_t thread, int64_t at, bool including);
/* Returns the node after a node of a thread; TP_NO_ID: none. */
uint32_t tp_graph_next_on_thread(const struct tp_graph_build *build, uint32_t node);

#endif
