/* Defines the arguments that join the kernels of a replayed graph with the calls that captured the graph. Those of
 * device operations are read if the operation has a "graph id", and hashes of operators whose name begins with
 * "triton_" always. All others are read only if struct tp_trace_options.wants_captures is set, because most reports do
 * not need them. */
#ifndef TP_WEBREPORT_TRACE_CAPTURE_ARGUMENTS_H
#define TP_WEBREPORT_TRACE_CAPTURE_ARGUMENTS_H

#include <stdint.h>

/* Arguments of one call, operator or device operation. TP_NO_ID or TP_NULL_INT if absent. */
struct tp_capture_argument {
    uint32_t event;  /* index in the events of the trace */
    uint32_t kernel; /* name of the kernel that a call or an operator started ("kernel", "kernel_name"), id in names */
    uint32_t grid, block; /* launch configuration of a call, ids in values */
    uint32_t file, hash;  /* "kernel_file" and "kernel_hash" of an operator of torch.compile, ids in values */
    /* for device operations with a node, ids in values: "annotation"; "str", "name" or "fqn" of a scope that the
     * program gave to the kernel (torch.cuda._graph_annotations) */
    uint32_t annotation, scope;
    int64_t node; /* "graph node id" of a device operation */
};

/* Members that name a scope, the preferred one first. */
enum { TP_SCOPE_NAMES = 3 };
extern const char *const tp_scope_names[TP_SCOPE_NAMES];

struct tp_captures;

/* What a trace has to join graph kernels. All members are 0 in most traces. */
struct tp_capture_data {
    struct tp_capture_argument *arguments; /* sorted by event */
    uint32_t argument_count;
    /* events of capture traces that were added after the own events of the trace; tp_trace.event_count does not count
     * them */
    uint32_t added_count;
    uint32_t *around_added; /* for each added event: the event around it; TP_NO_ID without one */
    const char *path;       /* path of the trace file; NULL if unknown */
    const struct tp_captures
        *captures; /* captured graphs of other traces (model/capture/graph_captures.h); NULL: none */
};

#endif
