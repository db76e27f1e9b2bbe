/* Compiles only if collector/source/cupti_abi.h agrees with NVIDIA's headers (suite `abi`). It is never run. */
#include <cuda.h>
#include <cupti.h>
#include <stddef.h>

#include "collector/source/cupti_abi.h"

/* The newest struct for each kind of record in these headers. A library of the same release writes these structs. */
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityKernel13 kernel;
typedef CUpti_ActivityMemcpy7 memcpy_record;
typedef CUpti_ActivityMemset5 memset_record;
#elif CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel;
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
#elif CUPTI_API_VERSION >= 26
typedef CUpti_ActivityKernel9 kernel;
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
#else
typedef CUpti_ActivityKernel8 kernel;
typedef CUpti_ActivityMemcpy5 memcpy_record;
typedef CUpti_ActivityMemset4 memset_record;
#endif
#if CUPTI_API_VERSION >= 26
typedef CUpti_ActivitySynchronization2 sync_record;
typedef CUpti_ActivityOverhead3 overhead_record;
typedef CUpti_ActivityMemory4 memory_record;
typedef CUpti_ActivityCudaEvent2 event_record;
typedef CUpti_ActivityGraphTrace2 graph_record;
#else
typedef CUpti_ActivitySynchronization sync_record;
typedef CUpti_ActivityOverhead overhead_record;
typedef CUpti_ActivityMemory3 memory_record;
typedef CUpti_ActivityCudaEvent event_record;
typedef CUpti_ActivityGraphTrace graph_record;
#endif
#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityMemoryPool3 pool_record;
#else
typedef CUpti_ActivityMemoryPool2 pool_record;
#endif

#define PLACE(ours, field, theirs, member)                                                                             \
    _Static_assert(offsetof(struct ours, field) == offsetof(theirs, member), #ours "." #field)
#define SAME(ours, field, theirs, member)                                                                              \
    PLACE(ours, field, theirs, member);                                                                                \
    _Static_assert(sizeof(((struct ours *)0)->field) == sizeof(((theirs *)0)->member), #ours "." #field)
#define FITS(ours, theirs) _Static_assert(sizeof(struct ours) <= sizeof(theirs), #ours)
#define VALUE(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #ours)

FITS(tp_cupti_kernel, kernel);
SAME(tp_cupti_kernel, registers, kernel, registersPerThread);
SAME(tp_cupti_kernel, start, kernel, start);
SAME(tp_cupti_kernel, end, kernel, end);
SAME(tp_cupti_kernel, device, kernel, deviceId);
SAME(tp_cupti_kernel, context, kernel, contextId);
SAME(tp_cupti_kernel, stream, kernel, streamId);
PLACE(tp_cupti_kernel, grid, kernel, gridX);
PLACE(tp_cupti_kernel, block, kernel, blockX);
SAME(tp_cupti_kernel, static_shared_bytes, kernel, staticSharedMemory);
SAME(tp_cupti_kernel, dynamic_shared_bytes, kernel, dynamicSharedMemory);
SAME(tp_cupti_kernel, correlation, kernel, correlationId);
SAME(tp_cupti_kernel, name, kernel, name);
SAME(tp_cupti_kernel, queued, kernel, queued);
SAME(tp_cupti_kernel, submitted, kernel, submitted);
SAME(tp_cupti_kernel, graph_node, kernel, graphNodeId);
SAME(tp_cupti_kernel, graph, kernel, graphId);

FITS(tp_cupti_memcpy, memcpy_record);
SAME(tp_cupti_memcpy, direction, memcpy_record, copyKind);
SAME(tp_cupti_memcpy, from_kind, memcpy_record, srcKind);
SAME(tp_cupti_memcpy, to_kind, memcpy_record, dstKind);
SAME(tp_cupti_memcpy, bytes, memcpy_record, bytes);
SAME(tp_cupti_memcpy, start, memcpy_record, start);
SAME(tp_cupti_memcpy, end, memcpy_record, end);
SAME(tp_cupti_memcpy, device, memcpy_record, deviceId);
SAME(tp_cupti_memcpy, context, memcpy_record, contextId);
SAME(tp_cupti_memcpy, stream, memcpy_record, streamId);
SAME(tp_cupti_memcpy, correlation, memcpy_record, correlationId);
SAME(tp_cupti_memcpy, graph_node, memcpy_record, graphNodeId);
SAME(tp_cupti_memcpy, graph, memcpy_record, graphId);

FITS(tp_cupti_memcpy_peer, CUpti_ActivityMemcpyPtoP4);
SAME(tp_cupti_memcpy_peer, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(tp_cupti_memcpy_peer, start, CUpti_ActivityMemcpyPtoP4, start);
SAME(tp_cupti_memcpy_peer, device, CUpti_ActivityMemcpyPtoP4, deviceId);
SAME(tp_cupti_memcpy_peer, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(tp_cupti_memcpy_peer, from_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME(tp_cupti_memcpy_peer, from_context, CUpti_ActivityMemcpyPtoP4, srcContextId);
SAME(tp_cupti_memcpy_peer, to_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(tp_cupti_memcpy_peer, to_context, CUpti_ActivityMemcpyPtoP4, dstContextId);
SAME(tp_cupti_memcpy_peer, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(tp_cupti_memcpy_peer, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME(tp_cupti_memcpy_peer, graph, CUpti_ActivityMemcpyPtoP4, graphId);

FITS(tp_cupti_memset, memset_record);
SAME(tp_cupti_memset, value, memset_record, value);
SAME(tp_cupti_memset, bytes, memset_record, bytes);
SAME(tp_cupti_memset, start, memset_record, start);
SAME(tp_cupti_memset, end, memset_record, end);
SAME(tp_cupti_memset, device, memset_record, deviceId);
SAME(tp_cupti_memset, stream, memset_record, streamId);
SAME(tp_cupti_memset, correlation, memset_record, correlationId);
SAME(tp_cupti_memset, memory_kind, memset_record, memoryKind);
SAME(tp_cupti_memset, graph_node, memset_record, graphNodeId);
SAME(tp_cupti_memset, graph, memset_record, graphId);

FITS(tp_cupti_graph, graph_record);
SAME(tp_cupti_graph, correlation, graph_record, correlationId);
SAME(tp_cupti_graph, start, graph_record, start);
SAME(tp_cupti_graph, end, graph_record, end);
SAME(tp_cupti_graph, device, graph_record, deviceId);
SAME(tp_cupti_graph, graph, graph_record, graphId);
SAME(tp_cupti_graph, context, graph_record, contextId);
SAME(tp_cupti_graph, stream, graph_record, streamId);

FITS(tp_cupti_api, CUpti_ActivityAPI);
SAME(tp_cupti_api, function, CUpti_ActivityAPI, cbid);
SAME(tp_cupti_api, start, CUpti_ActivityAPI, start);
SAME(tp_cupti_api, end, CUpti_ActivityAPI, end);
SAME(tp_cupti_api, thread, CUpti_ActivityAPI, threadId);
SAME(tp_cupti_api, correlation, CUpti_ActivityAPI, correlationId);
SAME(tp_cupti_api, result, CUpti_ActivityAPI, returnValue);

FITS(tp_cupti_sync, sync_record);
SAME(tp_cupti_sync, type, sync_record, type);
SAME(tp_cupti_sync, start, sync_record, start);
SAME(tp_cupti_sync, end, sync_record, end);
SAME(tp_cupti_sync, correlation, sync_record, correlationId);
SAME(tp_cupti_sync, context, sync_record, contextId);
SAME(tp_cupti_sync, stream, sync_record, streamId);
SAME(tp_cupti_sync, event, sync_record, cudaEventId);

FITS(tp_cupti_event, event_record);
SAME(tp_cupti_event, correlation, event_record, correlationId);
SAME(tp_cupti_event, context, event_record, contextId);
SAME(tp_cupti_event, stream, event_record, streamId);
SAME(tp_cupti_event, event, event_record, eventId);

FITS(tp_cupti_external, CUpti_ActivityExternalCorrelation);
SAME(tp_cupti_external, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME(tp_cupti_external, correlation, CUpti_ActivityExternalCorrelation, correlationId);

FITS(tp_cupti_overhead, overhead_record);
SAME(tp_cupti_overhead, overhead, overhead_record, overheadKind);
SAME(tp_cupti_overhead, object, overhead_record, objectKind);
SAME(tp_cupti_overhead, object_id, overhead_record, objectId);
SAME(tp_cupti_overhead, start, overhead_record, start);
SAME(tp_cupti_overhead, end, overhead_record, end);

FITS(tp_cupti_memory, memory_record);
SAME(tp_cupti_memory, operation, memory_record, memoryOperationType);
SAME(tp_cupti_memory, memory_kind, memory_record, memoryKind);
SAME(tp_cupti_memory, correlation, memory_record, correlationId);
SAME(tp_cupti_memory, address, memory_record, address);
SAME(tp_cupti_memory, bytes, memory_record, bytes);
SAME(tp_cupti_memory, time, memory_record, timestamp);
SAME(tp_cupti_memory, device, memory_record, deviceId);
SAME(tp_cupti_memory, context, memory_record, contextId);
SAME(tp_cupti_memory, stream, memory_record, streamId);
PLACE(tp_cupti_memory, pool_type, memory_record, memoryPoolConfig);
SAME(tp_cupti_memory, pool_address, memory_record, memoryPoolConfig.address);

FITS(tp_cupti_pool, pool_record);
SAME(tp_cupti_pool, operation, pool_record, memoryPoolOperationType);
SAME(tp_cupti_pool, correlation, pool_record, correlationId);
SAME(tp_cupti_pool, device, pool_record, deviceId);
SAME(tp_cupti_pool, address, pool_record, address);
SAME(tp_cupti_pool, size_bytes, pool_record, size);
SAME(tp_cupti_pool, time, pool_record, timestamp);
SAME(tp_cupti_pool, used_bytes, pool_record, utilizedSize);

FITS(tp_cupti_environment, CUpti_ActivityEnvironment);
SAME(tp_cupti_environment, device, CUpti_ActivityEnvironment, deviceId);
SAME(tp_cupti_environment, time, CUpti_ActivityEnvironment, timestamp);
SAME(tp_cupti_environment, environment, CUpti_ActivityEnvironment, environmentKind);
PLACE(tp_cupti_environment, values, CUpti_ActivityEnvironment, data.speed.smClock);

VALUE(TP_CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
VALUE(TP_CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
VALUE(TP_CUPTI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
VALUE(TP_CUPTI_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
VALUE(TP_CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
VALUE(TP_CUPTI_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
VALUE(TP_CUPTI_ENVIRONMENT, CUPTI_ACTIVITY_KIND_ENVIRONMENT);
VALUE(TP_CUPTI_MEMCPY_PEER, CUPTI_ACTIVITY_KIND_MEMCPY2);
VALUE(TP_CUPTI_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
VALUE(TP_CUPTI_SYNC, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
VALUE(TP_CUPTI_EXTERNAL, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
VALUE(TP_CUPTI_MEMORY, CUPTI_ACTIVITY_KIND_MEMORY2);
VALUE(TP_CUPTI_POOL, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
VALUE(TP_CUPTI_GRAPH, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
VALUE(TP_CUPTI_MAX_LIMIT, CUPTI_ERROR_MAX_LIMIT_REACHED);
VALUE(TP_CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
VALUE(TP_CUPTI_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
VALUE(TP_CUPTI_NO_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
VALUE(TP_CUPTI_MANY_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
VALUE(TP_CUPTI_UNKNOWN, CUPTI_ERROR_UNKNOWN);
VALUE(TP_CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
VALUE(TP_CUPTI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
VALUE(TP_CUPTI_TID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
VALUE(TP_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
VALUE(TP_CUPTI_OBJECT_THREAD, CUPTI_ACTIVITY_OBJECT_THREAD);
VALUE(TP_CUDA_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
VALUE(TP_CUDA_SHARED_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
VALUE(TP_CUDA_WARP_SIZE, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
VALUE(TP_CUDA_REGISTERS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
VALUE(TP_CUDA_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
VALUE(TP_CUDA_MAX_THREADS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
VALUE(TP_CUDA_COMPUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
VALUE(TP_CUDA_COMPUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
VALUE(TP_CUDA_SHARED_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
VALUE(TP_CUDA_REGISTERS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
VALUE(TP_CUDA_SHARED_PER_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
VALUE(TP_CUDA_MAX_BLOCKS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
#if CUPTI_API_VERSION >= 130000
SAME(tp_cupti_subscription, size, CUpti_SubscriberParams, structSize);
SAME(tp_cupti_subscription, name, CUpti_SubscriberParams, subscriberName);
SAME(tp_cupti_subscription, other, CUpti_SubscriberParams, oldSubscriberName);
SAME(tp_cupti_subscription, other_size, CUpti_SubscriberParams, oldSubscriberSize);
#endif

_Static_assert(_Generic((CUpti_BuffersCallbackRequestFunc)0, tp_cupti_request : 1, default : 0), "request");
