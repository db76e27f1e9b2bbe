/* Converts CUPTI's activity records to records of the spool: see cupti_records.h. A table contains a function for each
 * kind of activity.
 *
 * CUPTI calls this code on its own thread or inside a flush by cupti.c. The records are written to the chunk of the
 * calling thread, like all other records. The code has no lock while it calls CUPTI. */
#include "collector/source/cupti_records.h"

#include <string.h>

#include "collector/recorder.h"
#include "collector/source/cupti_names.h"
#include "writer/spool/spool_format_gpu.h"

const uint32_t tp_cupti_kinds[] = {TP_CUPTI_KERNEL,
                                   TP_CUPTI_MEMCPY,
                                   TP_CUPTI_MEMCPY_PEER,
                                   TP_CUPTI_MEMSET,
                                   TP_CUPTI_RUNTIME,
                                   TP_CUPTI_DRIVER,
                                   TP_CUPTI_SYNC,
                                   TP_CUPTI_EVENT,
                                   TP_CUPTI_OVERHEAD,
                                   TP_CUPTI_MEMORY,
                                   TP_CUPTI_POOL,
                                   TP_CUPTI_ENVIRONMENT,
                                   0};

static void convert_kernel(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_kernel *from = record;
    (void)cupti;
    const struct tp_spool_gpu_kernel kernel = {.work = {from->start, from->end, from->correlation, from->device,
                                                        from->context, from->stream, from->graph_node, from->graph, 0},
                                               .grid = {from->grid[0], from->grid[1], from->grid[2]},
                                               .block = {from->block[0], from->block[1], from->block[2]},
                                               .static_shared_bytes = from->static_shared_bytes,
                                               .dynamic_shared_bytes = from->dynamic_shared_bytes,
                                               .registers = from->registers,
                                               .queued = from->queued};
    tp_record_write(tp_cupti_kernel_name(from->name), TP_SPOOL_GPU_KERNEL, &kernel, sizeof kernel);
}

static void convert_copy(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_memcpy *from = record;
    (void)cupti;
    const struct tp_spool_gpu_copy copy = {.work = {from->start, from->end, from->correlation, from->device,
                                                    from->context, from->stream, from->graph_node, from->graph, 0},
                                           .bytes = from->bytes,
                                           .direction = from->direction,
                                           .from_kind = from->from_kind,
                                           .to_kind = from->to_kind};
    tp_record_write(0, TP_SPOOL_GPU_COPY, &copy, sizeof copy);
}

static void convert_peer_copy(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_memcpy_peer *from = record;
    (void)cupti;
    const struct tp_spool_gpu_copy copy = {.work = {from->start, from->end, from->correlation, from->device,
                                                    from->context, from->stream, from->graph_node, from->graph, 0},
                                           .bytes = from->bytes,
                                           .direction = from->direction,
                                           .from_kind = from->from_kind,
                                           .to_kind = from->to_kind,
                                           .is_peer = 1,
                                           .from_device = from->from_device,
                                           .from_context = from->from_context,
                                           .to_device = from->to_device,
                                           .to_context = from->to_context};
    tp_record_write(0, TP_SPOOL_GPU_COPY, &copy, sizeof copy);
}

static void convert_memory_set(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_memset *from = record;
    (void)cupti;
    const struct tp_spool_gpu_set set = {.work = {from->start, from->end, from->correlation, from->device,
                                                  from->context, from->stream, from->graph_node, from->graph, 0},
                                         .bytes = from->bytes,
                                         .memory_kind = from->memory_kind,
                                         .value = from->value};
    tp_record_write(0, TP_SPOOL_GPU_SET, &set, sizeof set);
}

static void convert_graph_launch(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_graph *from = record;
    (void)cupti;
    const struct tp_spool_gpu_graph graph = {.work = {from->start, from->end, from->correlation, from->device,
                                                      from->context, from->stream, 0, from->graph, 0}};
    tp_record_write(0, TP_SPOOL_GPU_GRAPH, &graph, sizeof graph);
}

static void convert_api_call(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_api *from = record;
    bool is_driver = from->kind == TP_CUPTI_DRIVER;
    uint32_t name = tp_cupti_call_name(cupti, is_driver, from->function);
    const struct tp_spool_gpu_call call = {.start = from->start,
                                           .end = from->end,
                                           .correlation = from->correlation,
                                           .tid = from->thread,
                                           .function = from->function,
                                           .result = from->result,
                                           .is_driver = is_driver};
    if (name)
        tp_record_write(name, TP_SPOOL_GPU_CALL, &call, sizeof call);
}

static void convert_synchronization(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_sync *from = record;
    (void)cupti;
    const struct tp_spool_gpu_sync sync = {.start = from->start,
                                           .end = from->end,
                                           .correlation = from->correlation,
                                           .context = from->context,
                                           .stream = from->stream,
                                           .event = from->event,
                                           .type = from->type};
    tp_record_write(0, TP_SPOOL_GPU_SYNC, &sync, sizeof sync);
}

static void convert_cuda_event(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_event *from = record;
    (void)cupti;
    const struct tp_spool_gpu_event event = {from->correlation, from->context, from->stream, from->event};
    tp_record_write(0, TP_SPOOL_GPU_EVENT, &event, sizeof event);
}

static void convert_overhead(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_overhead *from = record;
    (void)cupti;
    const struct tp_spool_gpu_overhead overhead = {.start = from->start,
                                                   .end = from->end,
                                                   .kind = from->overhead,
                                                   .tid =
                                                       from->object == TP_CUPTI_OBJECT_THREAD ? from->object_id[1] : 0};
    tp_record_write(0, TP_SPOOL_GPU_OVERHEAD, &overhead, sizeof overhead);
}

static void convert_memory_change(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_memory *from = record;
    (void)cupti;
    const struct tp_spool_gpu_memory memory = {.time = from->time,
                                               .address = from->address,
                                               .bytes = from->bytes,
                                               .operation = from->operation,
                                               .memory_kind = from->memory_kind,
                                               .correlation = from->correlation,
                                               .device = from->device,
                                               .context = from->context,
                                               .stream = from->stream,
                                               .pool = from->pool_type ? from->pool_address : 0};
    tp_record_write(0, TP_SPOOL_GPU_MEMORY, &memory, sizeof memory);
}

static void convert_memory_pool(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_pool *from = record;
    (void)cupti;
    const struct tp_spool_gpu_pool pool = {.time = from->time,
                                           .address = from->address,
                                           .size_bytes = from->size_bytes,
                                           .used_bytes = from->used_bytes,
                                           .operation = from->operation,
                                           .device = from->device,
                                           .correlation = from->correlation};
    tp_record_write(0, TP_SPOOL_GPU_POOL, &pool, sizeof pool);
}

static void convert_environment(const struct tp_cupti *cupti, const void *record)
{
    const struct tp_cupti_environment *from = record;
    (void)cupti;
    struct tp_spool_gpu_environment environment = {
        .time = from->time, .device = from->device, .kind = from->environment};
    memcpy(environment.values, from->values, sizeof environment.values);
    tp_record_write(0, TP_SPOOL_GPU_ENVIRONMENT, &environment, sizeof environment);
}

/* For each kind of activity, the minimum size of its record in bytes and the function that converts it. */
static const struct {
    size_t size;
    void (*record)(const struct tp_cupti *cupti, const void *record);
} handlers[TP_CUPTI_KINDS] = {
    [TP_CUPTI_KERNEL] = {sizeof(struct tp_cupti_kernel), convert_kernel},
    [TP_CUPTI_MEMCPY] = {sizeof(struct tp_cupti_memcpy), convert_copy},
    [TP_CUPTI_MEMCPY_PEER] = {sizeof(struct tp_cupti_memcpy_peer), convert_peer_copy},
    [TP_CUPTI_MEMSET] = {sizeof(struct tp_cupti_memset), convert_memory_set},
    [TP_CUPTI_GRAPH] = {sizeof(struct tp_cupti_graph), convert_graph_launch},
    [TP_CUPTI_RUNTIME] = {sizeof(struct tp_cupti_api), convert_api_call},
    [TP_CUPTI_DRIVER] = {sizeof(struct tp_cupti_api), convert_api_call},
    [TP_CUPTI_SYNC] = {sizeof(struct tp_cupti_sync), convert_synchronization},
    [TP_CUPTI_EVENT] = {sizeof(struct tp_cupti_event), convert_cuda_event},
    [TP_CUPTI_OVERHEAD] = {sizeof(struct tp_cupti_overhead), convert_overhead},
    [TP_CUPTI_MEMORY] = {sizeof(struct tp_cupti_memory), convert_memory_change},
    [TP_CUPTI_POOL] = {sizeof(struct tp_cupti_pool), convert_memory_pool},
    [TP_CUPTI_ENVIRONMENT] = {sizeof(struct tp_cupti_environment), convert_environment},
};

static void write_lost_counts(const struct tp_spool_gpu_lost *lost)
{
    if (lost->dropped_count || lost->unknown_count || lost->broken_count)
        tp_record_write(0, TP_SPOOL_GPU_LOST, lost, sizeof *lost);
}

void tp_cupti_write_dropped_count(size_t count)
{
    write_lost_counts(&(struct tp_spool_gpu_lost){.dropped_count = count});
}

void tp_cupti_convert_buffer(const struct tp_cupti *cupti, uint8_t *buffer, size_t valid)
{
    struct tp_spool_gpu_lost lost = {0};
    const uint8_t *before = NULL;
    void *record = NULL;
    int result;
    while ((result = cupti->next_record(buffer, valid, &record)) == TP_CUPTI_OK) {
        const uint8_t *at = record;
        uint32_t kind;
        if (at <= before || at < buffer || at + sizeof kind > buffer + valid) {
            /* the address of each record must be higher than that of the previous one; otherwise the loop might never
             * end */
            result = TP_CUPTI_UNKNOWN;
            break;
        }
        before = at;
        memcpy(&kind, at, sizeof kind);
        if (kind >= TP_CUPTI_KINDS || !handlers[kind].record)
            lost.unknown_count++;
        else if ((size_t)(buffer + valid - at) < handlers[kind].size)
            lost.broken_count++;
        else
            handlers[kind].record(cupti, at);
    }
    lost.broken_count += result != TP_CUPTI_MAX_LIMIT;
    write_lost_counts(&lost);
}
