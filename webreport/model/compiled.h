/* Defines the calls that torch.compile generated, with the source lines that their code comes from
 * (docs/definitions.md, section 36).
 *
 * A compiled region is one call of a compiled graph. Its calls are joined with the artifacts of the graph
 * (compile_graphs.h) that fits best. Without artifacts, the line of a call is the line that calls the region. */
#ifndef TP_WEBREPORT_MODEL_COMPILED_H
#define TP_WEBREPORT_MODEL_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/compile_log/compile_graphs.h"
#include "webreport/trace/trace.h"

/* The source lines of one call of a compiled graph. */
struct tp_compiled_source {
    struct tp_str key;    /* key of the call in the artifacts */
    struct tp_str line;   /* "model.py(12): forward", or a range "model.py(11-13): forward"; ptr NULL without a line */
    struct tp_str *lines; /* innermost lines, sorted */
    uint32_t line_count;
    const struct tp_compile_call *call; /* nodes of the call, for tp_compile_node_at */
};

/* One call in a compiled region: an operator that no other operator of the region encloses. */
struct tp_compiled_call {
    uint32_t event;     /* event of the operator */
    uint32_t region;    /* event of the region */
    bool is_backward;   /* true: the region runs in the backward pass */
    struct tp_str line; /* source line of the code; ptr NULL if unknown */
    /* entry of the artifacts; NULL: `line` is the line that calls the region */
    const struct tp_compiled_source *source;
};

struct tp_compiled {
    struct tp_compiled_call *calls; /* grouped by region, in the order of the threads and of time */
    uint32_t count;
    uint32_t *by_event;               /* indexes in calls, sorted by event */
    const struct tp_compile_log *log; /* artifacts; NULL: none were read */
    /* for each device operation: source of a kernel outside of all regions; NULL if there are no such kernels */
    const struct tp_compiled_source **of_device;
};

#endif
