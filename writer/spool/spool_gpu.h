/* Declares the GPU part of the conversion of a spool to a trace.
 *
 * Before the trace is opened, everything from CUPTI is collected and sorted. While the threads are written, each call
 * is linked to its operator and scope. Finally everything is written. Times are ns since the epoch. */
#ifndef TP_WRITER_SPOOL_SPOOL_GPU_H
#define TP_WRITER_SPOOL_SPOOL_GPU_H

#include "writer/spool/gpu_occupancy.h"
#include "writer/spool/spool_format_gpu.h"
#include "writer/spool/spool_trace_part.h"
#include "writer/text/demangle.h"

/* A GPU activity, by its record in the mapped file. */
struct tp_gpu_item {
    const struct tp_spool_record *record;
    int64_t start_ns, end_ns;
};

/* A call of the runtime or the driver. */
struct tp_gpu_call {
    const struct tp_spool_record *record;
    int64_t start_ns, end_ns, external_id; /* external_id of the operator or scope around it, or 0 */
    uint32_t correlation, tid, scope;      /* `scope` is an index in scopes, or 0 */
    bool is_inside;                        /* inside a runtime call; not written */
    bool is_launch;                        /* a GPU activity has its correlation */
};

/* A scope or a step that contains calls. */
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
    struct tp_vec works;                         /* struct tp_gpu_item: kernels, copies, sets, graphs, in order of
                                                  * delivery */
    struct tp_vec syncs, overheads, environment; /* struct tp_gpu_item */
    struct tp_vec memory;                        /* struct tp_gpu_item: allocations and pools, by time */
    struct tp_vec events;                        /* struct tp_spool_gpu_event by (context, event, correlation) */
    struct tp_vec contexts;                      /* struct tp_spool_gpu_event: device in `stream`, by context */
    struct tp_vec devices;                       /* struct tp_gpu_device by id */
    struct tp_vec clocks;                        /* struct tp_spool_gpu_clock by gpu_ns; empty: times are ticks */
    struct tp_vec scopes;                        /* struct tp_gpu_scope; index 0 is unused */
    struct tp_vec rows;                          /* struct tp_gpu_row by (device, stream, context) */
    uint32_t *by_correlation;                    /* indexes of calls */
    struct tp_str *names;                        /* demangled, by number of the name; ptr NULL: not yet */
    struct tp_demangle demangle;
    uint64_t steps_left; /* of linking; limits the time for malicious files */
    uint64_t dropped_count, unknown_count, lost_buffer_count, timeless_count;
    int64_t first_ns; /* earliest start; INT64_MAX: nothing */
};

/* Reads the GPU records of all threads into c->gpu, which becomes NULL if there are no such records
 * (spool_gpu_gather.c). */
void tp_spool_gpu_gather(struct tp_spool_conversion *c);

/* Returns the first, outermost call with this correlation, or NULL if it was not recorded. */
struct tp_gpu_call *tp_spool_gpu_call(const struct tp_spool_gpu *gpu, uint32_t correlation);

/* Links the calls of a thread to the ranges around them; the ranges are in c->ranges and written (spool_gpu_link.c). */
void tp_spool_gpu_link(struct tp_spool_conversion *c, uint64_t tid);

/* Finds the row of each work, and returns the row of one (spool_gpu_rows.c). */
void tp_spool_gpu_find_rows(struct tp_spool_gpu *gpu);
const struct tp_gpu_row *tp_spool_gpu_row(const struct tp_spool_gpu *gpu, uint32_t device, uint32_t stream,
                                          uint32_t context);
/* Returns the device of a context, or TP_SPOOL_GPU_NONE if it is unknown. */
uint32_t tp_spool_gpu_device_of(const struct tp_spool_gpu *gpu, uint32_t context);

/* Writes everything; rows first (spool_trace_gpu.c). */
void tp_spool_gpu_write(struct tp_spool_conversion *c);

/* Write parts of it: scopes as they appear on streams (spool_gpu_scopes.c); allocations (spool_gpu_memory.c). */
void tp_spool_gpu_write_scopes(struct tp_spool_conversion *c);
void tp_spool_gpu_write_memory(struct tp_spool_conversion *c);

/* Appends facts about missing data for the head of the trace; increases *count by at most 4. */
void tp_spool_gpu_facts(const struct tp_spool_conversion *c, struct tp_trace_out_meta *facts, size_t *count);

/* Reads the payload of a record as its struct; the sizes were checked when it was collected. */
#define TP_SPOOL_GPU_READ(out, record) memcpy((out), tp_spool_payload(record), sizeof *(out))

#endif
