/* Defines what the artifacts of torch.compile say about generated code: for each compiled graph, its calls in order,
 * and the source lines of each call.
 *
 * The artifacts are logs of TORCH_TRACE, folders of TORCH_COMPILE_DEBUG, and the files in them: JSON files with the
 * kernels of a graph, generated code, and the text of FX graphs. The formats are those of PyTorch 2.6 to 2.13
 * (torch/_inductor/debug.py). Any bytes are safe to read. All memory is in one arena, and read-only afterwards. */
#ifndef TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_GRAPHS_H
#define TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* The frames of one traceback, outermost first: indexes in frame_ids. */
struct tp_compile_stack {
    uint32_t first, count;
};

/* One call of a generated kernel or of a library function. */
struct tp_compile_call {
    struct tp_str key;                 /* key in the artifacts: "triton_poi_fused_add_0:3" */
    struct tp_str name;                /* name of the operator that a trace shows for this call: "aten::addmm" */
    uint64_t handle;                   /* number of the call in its graph, from 1; 0 before PyTorch 2.9 */
    uint32_t first_stack, stack_count; /* indexes in stack_ids */
    uint32_t first_node, node_count;   /* indexes in nodes */
};

/* One compiled graph: the forward or the backward part of a compiled function. */
struct tp_compile_graph {
    struct tp_compile_call *calls; /* sorted by handle */
    uint32_t call_count;
    bool has_handles;
    bool is_code; /* true: the calls come only from generated code, which has names of source nodes but no lines */
};

struct tp_compile_log {
    struct tp_vec graphs;     /* elements: struct tp_compile_graph, in the order of reading */
    struct tp_strings frames; /* texts "PATH(LINE): FUNCTION" */
    struct tp_vec frame_ids;  /* elements: uint32_t, ids in frames */
    struct tp_vec stacks;     /* elements: struct tp_compile_stack */
    struct tp_vec stack_ids;  /* elements: uint32_t, indexes in stacks */
    struct tp_vec nodes;      /* elements: struct tp_str, names of nodes of FX graphs */
    uint32_t file_count;      /* number of files with artifacts */
    uint32_t dropped_count;   /* number of artifacts that are damaged, or exceed a limit of limits.h */
};

static inline const struct tp_compile_graph *tp_compile_graph_at(const struct tp_compile_log *log, size_t i)
{
    return (const struct tp_compile_graph *)log->graphs.data + i;
}
static inline struct tp_compile_stack tp_compile_stack_at(const struct tp_compile_log *log, uint32_t i)
{
    return ((const struct tp_compile_stack *)log->stacks.data)[((const uint32_t *)log->stack_ids.data)[i]];
}
static inline struct tp_str tp_compile_frame_at(const struct tp_compile_log *log, uint32_t i)
{
    return tp_strings_get(&log->frames, ((const uint32_t *)log->frame_ids.data)[i]);
}
static inline struct tp_str tp_compile_node_at(const struct tp_compile_log *log, uint32_t i)
{
    return ((const struct tp_str *)log->nodes.data)[i];
}

#endif
