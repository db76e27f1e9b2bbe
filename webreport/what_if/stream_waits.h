/* Finds which operations wait for an operation of another stream. */
#ifndef TP_WEBREPORT_WHAT_IF_STREAM_WAITS_H
#define TP_WEBREPORT_WHAT_IF_STREAM_WAITS_H

#include "webreport/what_if/graph_parts.h"

/* Operation `target` waits for operation `source`; indexes in the model's devices. */
struct tp_stream_wait {
    uint32_t target, source;
    bool is_inferred;
};

/* Returns the waits, sorted by target, then in the order in which they were found; elements: struct tp_stream_wait. */
struct tp_vec tp_graph_find_stream_waits(struct tp_graph_build *build);

#endif
