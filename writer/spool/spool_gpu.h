/* Declares the GPU part of the conversion of a spool to a trace.
 *
 * Before the trace is opened, all GPU records are collected and sorted. While the threads are written, each call is
 * linked to its operator and scope. Finally all GPU activity is written. Times are ns since the epoch. */
#ifndef TP_WRITER_SPOOL_SPOOL_GPU_H
#define TP_WRITER_SPOOL_SPOOL_GPU_H

#include "writer/spool/gpu_occupancy.h"
#include "writer/spool/spool_format_gpu.h"
#include "writer/spool/spool_trace_part.h"
#include "writer/text/demangle.h"

/* A GPU activity, with a pointer to the record of this activity in the mapped file. */
struct tp_gpu_item {
    const struct tp_spool_record *record;
    int64_t start_ns, end_ns;
};

/* A call of the CUDA runtime or driver. */
struct tp_gpu_call {
    const struct tp_spool_record *record;
    /* external_id: id of the operator or scope in which the call was made, or 0 */
    int64_t start_ns, end_ns, external_id;
    uint32_t correlation, tid, scope; /* scope: index of the enclosing scope in tp_spool_gpu.scopes; 0: none */
    bool is_inside; /* true for a driver call inside a runtime call; such a driver call is not written to the trace */
    bool is_launch; /* true if a GPU activity has the same correlation as this call */
};

/* A scope or a step in which CUDA calls were made. */
struct tp_gpu_scope {
    struct tp_str name;
    int64_t external_id;
    uint32_t parent; /* index of the enclosing scope; 0: none */
};

/* A row of the trace for work on a GPU. */
struct tp_gpu_row {
    uint32_t device, stream, context;
    int64_t tid;
};

struct tp_gpu_device {
    struct tp_trace_out_device out;
    struct tp_gpu_limits limits;
};

struct tp_spool_gpu {
    struct tp_vec calls; /* CUDA calls, sorted by tid and start; elements: struct tp_gpu_call */
    struct tp_vec works; /* kernels, copies, sets, graphs, in the order of delivery; elements: struct tp_gpu_item */
    /* waits, overheads and states of devices; elements: struct tp_gpu_item */
    struct tp_vec syncs, overheads, environment;
    struct tp_vec memory; /* allocations and pools, sorted by time; elements: struct tp_gpu_item */
    struct tp_vec events; /* CUDA events that were recorded on streams, sorted by context, event, correlation; elements:
                             struct tp_spool_gpu_event */
    /* contexts, sorted by context; elements: struct tp_spool_gpu_event, whose member `stream` is the device of the
     * context */
    struct tp_vec contexts;
    struct tp_vec devices;    /* devices, sorted by id; elements: struct tp_gpu_device */
    struct tp_vec clocks;     /* clock records, sorted by gpu_ns; empty: times are ticks; elements: struct
                                 tp_spool_gpu_clock */
    struct tp_vec scopes;     /* scopes and steps with CUDA calls; index 0 is unused; elements: struct tp_gpu_scope */
    struct tp_vec rows;       /* rows of GPU work, sorted by device, stream, context; elements: struct tp_gpu_row */
    uint32_t *by_correlation; /* indexes of calls, sorted by correlation */
    struct tp_str *names;     /* demangled names, by the number of the name; ptr NULL: not demangled yet */
    struct tp_demangle demangle;
    uint64_t steps_left; /* remaining search steps for linking calls to ranges; limits the time that a malicious file
                          * takes */
    uint64_t dropped_count, unknown_count, lost_buffer_count, untimed_count;
    int64_t first_ns; /* earliest start of a GPU activity; INT64_MAX: no activity */
};

/* Reads the GPU records of all threads into c->gpu, which becomes NULL if there are no such records
 * (spool_gpu_gather.c). */
void tp_spool_gpu_gather(struct tp_spool_conversion *c);

/* Returns the first, outermost call with this correlation, or NULL if no such call was recorded. */
struct tp_gpu_call *tp_spool_gpu_call(const struct tp_spool_gpu *gpu, uint32_t correlation);

/* Links the calls of a thread to the ranges around them. The ranges must be in c->ranges and already written
 * (spool_gpu_link.c). */
void tp_spool_gpu_link(struct tp_spool_conversion *c, uint64_t tid);

/* tp_spool_gpu_find_rows finds the rows of all work items. tp_spool_gpu_find_row returns the row of one work item
 * (spool_gpu_rows.c). */
void tp_spool_gpu_find_rows(struct tp_spool_gpu *gpu);
const struct tp_gpu_row *tp_spool_gpu_find_row(const struct tp_spool_gpu *gpu, uint32_t device, uint32_t stream,
                                               uint32_t context);
/* Returns the device of a context, or TP_SPOOL_GPU_NONE if it is unknown. */
uint32_t tp_spool_gpu_context_device(const struct tp_spool_gpu *gpu, uint32_t context);

/* Writes all GPU activity, rows first (spool_trace_gpu.c). */
void tp_spool_gpu_write(struct tp_spool_conversion *c);

/* tp_spool_gpu_write_scopes writes a range for each scope on each stream that executed work of the scope
 * (spool_gpu_scopes.c). tp_spool_gpu_write_memory writes allocations (spool_gpu_memory.c). */
void tp_spool_gpu_write_scopes(struct tp_spool_conversion *c);
void tp_spool_gpu_write_memory(struct tp_spool_conversion *c);

/* Appends metadata about missing GPU data to `facts`. Increases *count by at most 4. */
void tp_spool_gpu_add_facts(const struct tp_spool_conversion *c, struct tp_trace_out_meta *facts, size_t *count);

/* Reads the payload of a record as a struct. The size of the payload was checked when the record was collected. */
#define TP_SPOOL_GPU_READ(out, record) memcpy((out), tp_spool_payload(record), sizeof *(out))

#endif
