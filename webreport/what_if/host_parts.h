/* Divides the duration of each node of a thread into parts. */
#ifndef TP_WEBREPORT_WHAT_IF_HOST_PARTS_H
#define TP_WEBREPORT_WHAT_IF_HOST_PARTS_H

#include "webreport/what_if/graph_parts.h"

/* Adds the parts of all nodes of a thread. */
void tp_graph_fill_parts(struct tp_graph_build *build, uint32_t thread);

#endif
