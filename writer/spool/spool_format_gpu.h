/* Defines the payloads of the spool's GPU records (spool_format.h, kinds 48 to 63). They contain the fields of CUPTI's
 * activity records.
 *
 * GPU records are in chunks of the thread to which CUPTI delivered them. They are written after the activity, in any
 * order. Each record contains its own times. These are ticks of the spool's clock, or, in a spool with
 * TP_SPOOL_GPU_CLOCK records, nanoseconds of CUPTI's own clock. Numbers of devices, streams and the like are CUPTI's;
 * TP_SPOOL_GPU_NONE means no stream, event or device.
 *
 * Names of kernels are mangled by the compiler. Names of calls have no version at their end. */
#ifndef TP_WRITER_SPOOL_SPOOL_FORMAT_GPU_H
#define TP_WRITER_SPOOL_SPOOL_FORMAT_GPU_H

#include "writer/spool/spool_format.h"

#define TP_SPOOL_GPU_NONE UINT32_MAX

/* Payload of TP_SPOOL_GPU_DEVICE. The record's name is the name of the device. Negative members are unknown. */
struct tp_spool_gpu_device {
    int64_t total_memory_bytes;
    int32_t id, compute_major, compute_minor, warp_size, sm_count, max_threads_per_block, max_threads_per_sm,
        registers_per_block, registers_per_sm, shared_per_block_bytes, shared_per_block_optin_bytes,
        shared_per_sm_bytes, max_blocks_per_sm, unused;
};

/* Payload of TP_SPOOL_GPU_CLOCK: one moment, measured on two clocks. */
struct tp_spool_gpu_clock {
    int64_t gpu_ns;
    uint64_t ticks;
};

/* Payload of TP_SPOOL_GPU_LOST: counts since the previous record of this kind. */
struct tp_spool_gpu_lost {
    uint64_t dropped_count; /* number of records that CUPTI dropped because it had no buffer */
    uint64_t unknown_count; /* number of CUPTI records that the spool has no record kind for */
    uint64_t broken_count;  /* number of buffers that could not be read to their end */
    uint64_t unused;
};

/* First members of all payloads about work on a stream. */
struct tp_spool_gpu_work {
    uint64_t start, end; /* start and end of the work item; both 0: unknown to CUPTI */
    uint32_t correlation, device, context, stream;
    uint64_t graph_node;
    uint32_t graph, unused; /* graph: id of the CUDA graph; 0: the work item was launched without a graph */
};

/* Payload of TP_SPOOL_GPU_KERNEL. */
struct tp_spool_gpu_kernel {
    struct tp_spool_gpu_work work;
    int32_t grid[3], block[3];
    int32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t registers, unused;
    uint64_t queued;
};

/* Payload of TP_SPOOL_GPU_COPY. */
struct tp_spool_gpu_copy {
    struct tp_spool_gpu_work work;
    uint64_t bytes;
    uint8_t direction, from_kind, to_kind, is_peer; /* direction: a CUpti_ActivityMemcpyKind; from_kind, to_kind: kinds
                                                     * of memory */
    uint32_t unused;
    uint32_t from_device, from_context, to_device, to_context; /* source and destination of a copy with is_peer (between
                                                                * two devices) */
};

/* Payload of TP_SPOOL_GPU_SET. */
struct tp_spool_gpu_set {
    struct tp_spool_gpu_work work;
    uint64_t bytes;
    uint32_t memory_kind, value;
};

/* Payload of TP_SPOOL_GPU_GRAPH: a whole CUDA graph as one work item, if CUPTI records graphs as a whole. */
struct tp_spool_gpu_graph {
    struct tp_spool_gpu_work work;
};

/* Payload of TP_SPOOL_GPU_CALL. The record's name is the name of the function. */
struct tp_spool_gpu_call {
    uint64_t start, end;
    /* function: CUPTI's number of the called function; result: number that the function returned */
    uint32_t correlation, tid, function, result;
    uint32_t is_driver, unused[3];
};

/* Payload of TP_SPOOL_GPU_SYNC. */
struct tp_spool_gpu_sync {
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint32_t type, unused[3]; /* type: 1 wait for an event, 2 a stream waits for an event, 3 wait for a stream, 4 wait
                               * for a context */
};

/* Payload of TP_SPOOL_GPU_EVENT: an event was recorded on a stream. */
struct tp_spool_gpu_event {
    uint32_t correlation, context, stream, event;
};

/* Payload of TP_SPOOL_GPU_OVERHEAD. */
struct tp_spool_gpu_overhead {
    uint64_t start, end;
    uint32_t kind, tid; /* kind: a CUpti_ActivityOverheadKind; tid: 0 if the thread is unknown */
    uint64_t unused;
};

/* Payload of TP_SPOOL_GPU_MEMORY. */
struct tp_spool_gpu_memory {
    uint64_t time, address, bytes;
    uint32_t operation, memory_kind; /* operation: 1 allocation, 2 release */
    uint32_t correlation, device, context, stream;
    uint64_t pool; /* address of the memory pool; 0: none */
    uint64_t unused;
};

/* Payload of TP_SPOOL_GPU_POOL. */
struct tp_spool_gpu_pool {
    uint64_t time, address, size_bytes, used_bytes;
    uint32_t operation, device, correlation, unused; /* operation: 1 created, 2 destroyed, 3 trimmed */
};

/* Payload of TP_SPOOL_GPU_ENVIRONMENT. */
struct tp_spool_gpu_environment {
    uint64_t time;
    uint32_t device, kind; /* kind: 1 clocks, 2 temperature, 3 power, 4 fan */
    /* values by kind: 1 clocks of the SMs and the memory in MHz; 2 degrees C; 3 power and its limit in mW; 4 percent */
    uint32_t values[4];
};

#define TP_SPOOL_GPU_WHOLE_(name) _Static_assert(sizeof(struct name) % TP_SPOOL_SLOT == 0, #name)
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_device);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_kernel);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_copy);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_set);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_graph);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_call);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_sync);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_event);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_overhead);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_memory);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_pool);
TP_SPOOL_GPU_WHOLE_(tp_spool_gpu_environment);

#endif
