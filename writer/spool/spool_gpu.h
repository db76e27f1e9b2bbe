/* The GPU part of the conversion of a spool into a trace.
 *
 * Before the trace is opened, everything that CUPTI delivered is gathered and put in order; while the threads are
 * written, calls learn in which operator and scope they happened; then all of it is written. Times here are nanoseconds
 * of the wall clock. */
#ifndef TP_WRITER_SPOOL_SPOOL_GPU_H
#define TP_WRITER_SPOOL_SPOOL_GPU_H

#include "writer/spool/gpu_occupancy.h"
#include "writer/spool/spool_format_gpu.h"
#include "writer/spool/spool_trace_part.h"
#include "writer/text/demangle.h"

/* Something that happened, by its record in the mapped file. */
struct tp_gpu_item {
    const struct tp_spool_record *record;
    int64_t start_ns, end_ns;
};

/* A call of the runtime or the driver. */
struct tp_gpu_call {
    const struct tp_spool_record *record;
    int64_t start_ns, end_ns, external_id; /* external_id: of the operator, or the scope, around it; 0: none */
    uint32_t correlation, tid, scope;      /* scope: number in scopes; 0: none */
    bool is_inside;                        /* of a runtime call: not written */
    bool is_launch;                        /* something on a GPU has its correlation */
};

/* A scope or a step with calls inside it. */
struct tp_gpu_scope {
    struct tp_str name;
    int64_t external_id;
    uint32_t parent; /* 0: none */
};

/* A row of the trace. */
struct tp_gpu_row {
    uint32_t device, stream, context;
    int64_t tid;
};

struct tp_gpu_device {
    struct tp_trace_out_device out;
    struct tp_gpu_limits limits;
};

struct tp_spool_gpu {
    struct tp_vec calls;                         /* struct tp_gpu_call by (tid, start) */
    struct tp_vec works;                         /* struct tp_gpu_item: kernels, copies, sets, graphs, as delivered */
    struct tp_vec syncs, overheads, environment; /* struct tp_gpu_item */
    struct tp_vec memory;                        /* struct tp_gpu_item: allocations and pools, by time */
    struct tp_vec events;                        /* struct tp_spool_gpu_event by (context, event, correlation) */
    struct tp_vec contexts;                      /* struct tp_spool_gpu_event: device in `stream`, by context */
    struct tp_vec devices;                       /* struct tp_gpu_device by id */
    struct tp_vec clocks;                        /* struct tp_spool_gpu_clock by gpu_ns; empty: stamps are ticks */
    struct tp_vec scopes;                        /* struct tp_gpu_scope; number 0 is none */
    struct tp_vec rows;                          /* struct tp_gpu_row by (device, stream, context) */
    uint32_t *by_correlation;                    /* numbers of calls */
    struct tp_str *names;                        /* demangled, by number of the name; ptr NULL: not yet */
    struct tp_demangle demangle;
    uint64_t steps_left; /* of linking, so that odd files take no more than their share */
    uint64_t dropped_count, unknown_count, lost_buffer_count, timeless_count;
    int64_t first_ns; /* earliest start; INT64_MAX: nothing */
};

/* Reads the GPU records of all threads into c->gpu, which becomes NULL when there are none (spool_gpu_gather.c). */
void tp_spool_gpu_gather(struct tp_spool_conversion *c);

/* The first call with this correlation, outermost; NULL: none was recorded. */
struct tp_gpu_call *tp_spool_gpu_call(const struct tp_spool_gpu *gpu, uint32_t correlation);

/* Gives the calls of a thread, whose ranges are in c->ranges and written, what is around them (spool_gpu_link.c). */
void tp_spool_gpu_link(struct tp_spool_conversion *c, uint64_t tid);

/* Collects which row each work is on; the row of one (spool_gpu_rows.c). */
void tp_spool_gpu_find_rows(struct tp_spool_gpu *gpu);
const struct tp_gpu_row *tp_spool_gpu_row(const struct tp_spool_gpu *gpu, uint32_t device, uint32_t stream,
                                          uint32_t context);
/* Device of a context; TP_SPOOL_GPU_NONE: not known. */
uint32_t tp_spool_gpu_device_of(const struct tp_spool_gpu *gpu, uint32_t context);

/* Writes all of it; rows first (spool_trace_gpu.c). */
void tp_spool_gpu_write(struct tp_spool_conversion *c);

/* Its parts: scopes as they are seen on streams (spool_gpu_scopes.c); allocations (spool_gpu_memory.c). */
void tp_spool_gpu_write_scopes(struct tp_spool_conversion *c);
void tp_spool_gpu_write_memory(struct tp_spool_conversion *c);

/* Facts for the trace's head about what is missing; adds to *count, at most 4. */
void tp_spool_gpu_facts(const struct tp_spool_conversion *c, struct tp_trace_out_meta *facts, size_t *count);

/* Payload of a record as its struct; the sizes were checked when it was gathered. */
#define TP_SPOOL_GPU_READ(out, record) memcpy((out), tp_spool_payload(record), sizeof *(out))

#endif
