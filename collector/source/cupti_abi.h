/* Declares the part of CUPTI's binary interface that the source uses, so that the build needs no part of CUDA.
 *
 * The fields below have the same offsets in all versions from CUPTI 11.8 to 13.5, because later releases only append
 * fields. So each struct declares only the fields of 11.8. The reader finds the next record with
 * cuptiActivityGetNextRecord and never relies on the size of a record. The suite `abi` compares all declarations here
 * with NVIDIA's headers if they are installed. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_ABI_H
#define TP_COLLECTOR_SOURCE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum tp_cupti_result {
    TP_CUPTI_OK = 0,
    TP_CUPTI_MAX_LIMIT = 12, /* the buffer has no more records */
    TP_CUPTI_NOT_INITIALIZED = 15,
    TP_CUPTI_INVALID_KIND = 21,
    TP_CUPTI_NO_PRIVILEGES = 35,
    TP_CUPTI_MANY_SUBSCRIBERS = 39,
    TP_CUPTI_UNKNOWN = 999
};

enum tp_cupti_kind {
    TP_CUPTI_MEMCPY = 1,
    TP_CUPTI_MEMSET = 2,
    TP_CUPTI_DRIVER = 4,
    TP_CUPTI_RUNTIME = 5,
    TP_CUPTI_KERNEL = 10, /* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
    TP_CUPTI_OVERHEAD = 17,
    TP_CUPTI_ENVIRONMENT = 20,
    TP_CUPTI_MEMCPY_PEER = 22,
    TP_CUPTI_EVENT = 36,
    TP_CUPTI_SYNC = 38,
    TP_CUPTI_EXTERNAL = 39,
    TP_CUPTI_MEMORY = 49,
    TP_CUPTI_POOL = 50,
    TP_CUPTI_GRAPH = 51,
    TP_CUPTI_KINDS = 64 /* size of tables with an entry for each kind; larger than any kind in use */
};

enum { TP_CUPTI_DOMAIN_DRIVER = 1, TP_CUPTI_DOMAIN_RUNTIME = 2 };
enum { TP_CUPTI_TID_SYSTEM = 1, TP_CUPTI_FLUSH_FORCED = 1, TP_CUPTI_OBJECT_THREAD = 2 };

/* First CUPTI version (CUDA 12.9) in which this library is allowed to refuse a request for a buffer. Older versions can
 * crash. */
enum { TP_CUPTI_MAY_REFUSE = 27 };

struct tp_cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_memory_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_per_thread, local_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, is_carveout_requested, carveout_requested, padding;
    uint32_t shared_executed_bytes;
    uint64_t graph_node;
    uint32_t shared_limit_config, graph;
};

struct tp_cupti_memcpy {
    uint32_t kind;
    uint8_t direction, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

struct tp_cupti_memcpy_peer {
    uint32_t kind;
    uint8_t direction, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

struct tp_cupti_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
};

struct tp_cupti_graph {
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
};

struct tp_cupti_api {
    uint32_t kind, function;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};

struct tp_cupti_sync {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
};

struct tp_cupti_event {
    uint32_t kind, correlation, context, stream, event;
};

struct tp_cupti_external {
    uint32_t kind, external_kind;
    uint64_t external_id;
    uint32_t correlation, reserved;
};

struct tp_cupti_overhead {
    uint32_t kind, overhead, object;
    uint32_t object_id[3]; /* process id and thread id of the thread with the overhead */
    uint64_t start, end;
};

struct tp_cupti_memory {
    uint32_t kind, operation, memory_kind, correlation;
    uint64_t address, bytes, time, program_counter;
    uint32_t process, device, context, stream;
    const char *name;
    uint32_t is_async, padding;
    uint32_t pool_type, padding2;
    uint64_t pool_address;
};

struct tp_cupti_pool {
    uint32_t kind, operation, pool_type, correlation, process, device;
    uint64_t least_bytes_kept;
    uint64_t address, size_bytes, release_threshold, time, used_bytes;
};

struct tp_cupti_environment {
    uint32_t kind, device;
    uint64_t time;
    uint32_t environment;
    uint32_t values[4];
};

/* Parameters of cuptiSubscribe_v2. */
struct tp_cupti_subscription {
    size_t size;
    const char *name;
    char *other;
    size_t other_size;
};

typedef void (*tp_cupti_request)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*tp_cupti_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef void (*tp_cupti_callback)(void *user, uint32_t domain, uint32_t function, const void *data);

/* Values of CUdevice_attribute of the CUDA driver. */
enum tp_cuda_attribute {
    TP_CUDA_MAX_THREADS_PER_BLOCK = 1,
    TP_CUDA_SHARED_PER_BLOCK = 8,
    TP_CUDA_WARP_SIZE = 10,
    TP_CUDA_REGISTERS_PER_BLOCK = 12,
    TP_CUDA_SM_COUNT = 16,
    TP_CUDA_MAX_THREADS_PER_SM = 39,
    TP_CUDA_COMPUTE_MAJOR = 75,
    TP_CUDA_COMPUTE_MINOR = 76,
    TP_CUDA_SHARED_PER_SM = 81,
    TP_CUDA_REGISTERS_PER_SM = 82,
    TP_CUDA_SHARED_PER_BLOCK_OPTIN = 97,
    TP_CUDA_MAX_BLOCKS_PER_SM = 106
};

#endif
