/* Adds nodes, edges and parts to a replay graph that is being built. */
#ifndef TP_WEBREPORT_WHAT_IF_GRAPH_ADD_H
#define TP_WEBREPORT_WHAT_IF_GRAPH_ADD_H

#include "webreport/what_if/graph_parts.h"

/* Adds a node and returns its index. */
uint32_t tp_graph_add_node(struct tp_graph_build *build, enum tp_node_kind kind, int64_t start, int64_t end,
                           uint32_t event);
/* Adds an edge into a host node. */
void tp_graph_add_edge(struct tp_graph_build *build, uint32_t target, struct tp_replay_edge edge);
/* Adds a part to the last node that has parts. */
void tp_graph_add_part(struct tp_graph_build *build, uint32_t label, int64_t ns);
/* Adds a label and returns its index. */
uint32_t tp_graph_add_label(struct tp_graph_build *build, enum tp_path_kind kind, struct tp_str name);
/* Returns the label of an event's name. */
uint32_t tp_graph_label_of_name(struct tp_graph_build *build, enum tp_path_kind kind, uint32_t name);

#endif
