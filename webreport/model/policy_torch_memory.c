/* Memory records and the events around them: see policy_torch_parts.h. */
#include "webreport/model/policy_torch_parts.h"

#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* Device types of torch: what it counts as memory of the CPU (CPU, MKLDNN, IDEEP) and of devices (CUDA, HIP, XPU,
 * PrivateUse1). */
static bool is_cpu(int64_t type)
{
    return type == 0 || type == 2 || type == 5 || type == TP_NULL_INT;
}

static bool is_device(int64_t type)
{
    return type == 1 || type == 6 || type == 12 || type == 20;
}

struct records {
    struct tp_keyed *order; /* [memory] records by time; item: index in trace->memory */
    uint32_t count;
    __int128 *cpu, *device; /* sums of the first n */
};

static void collect(struct records *records, const struct tp_functions *functions)
{
    const struct tp_trace *trace = functions->trace;
    struct tp_arena *arena = functions->arena;
    records->order = tp_arena_array(arena, trace->memory_count, sizeof *records->order);
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *m = &trace->memory[i];
        if (!(m->flags & TP_MEMORY_OUT_OF_MEMORY))
            records->order[records->count++] = (struct tp_keyed){m->ts_ns, i, i};
    }
    tp_sort_keyed(records->order, records->count, arena);
    records->cpu = tp_arena_array(arena, (size_t)records->count + 1, sizeof *records->cpu);
    records->device = tp_arena_array(arena, (size_t)records->count + 1, sizeof *records->device);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_memory *m = &trace->memory[records->order[i].item];
        records->cpu[i + 1] = records->cpu[i] + (is_cpu(tp_memory_place(trace, m)->type) ? m->bytes : 0);
        records->device[i + 1] = records->device[i] + (is_device(tp_memory_place(trace, m)->type) ? m->bytes : 0);
    }
}

static int64_t clamp(__int128 bytes)
{
    return bytes > INT64_MAX ? INT64_MAX : bytes < INT64_MIN + 1 ? INT64_MIN + 1 : (int64_t)bytes;
}

/* Releases before 2.7 looked records up by double microseconds since 1970, which have steps of a quarter. */
static double coarse(const struct tp_functions *functions, int64_t ns)
{
    int64_t base = functions->trace->base_time_ns;
    double us = (double)((long double)tp_sat_add(ns, base) / 1000.0L);
    return us * 1000 - (double)base;
}

/* Number of records before `at`, or up to it. */
static uint32_t count_before(const struct tp_functions *functions, const struct records *records, int64_t at,
                             bool is_included)
{
    bool is_coarse = functions->rules == TP_TORCH_2_6;
    double limit = is_coarse ? coarse(functions, at) : 0;
    uint32_t low = 0, high = records->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t time = records->order[middle].key;
        bool is_before = is_coarse ? ((double)time < limit || (is_included && (double)time <= limit))
                                   : (time < at || (is_included && time <= at));
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A record outside of every host event: an item without a duration. */
static void add_item(struct tp_functions *functions, uint32_t index)
{
    const struct tp_memory *m = &functions->trace->memory[index];
    int64_t bytes = m->bytes, type = tp_memory_place(functions->trace, m)->type;
    bool is_failed = m->flags & TP_MEMORY_OUT_OF_MEMORY;
    functions->items[functions->count++] =
        (struct tp_function){.start_ns = m->ts_ns,
                             .end_ns = m->ts_ns,
                             .cpu_bytes = is_cpu(type) ? bytes : 0,
                             .device_bytes = is_device(type) ? bytes : 0,
                             .event = TP_NO_ID,
                             .name = is_failed ? functions->out_of_memory_name : functions->memory_name,
                             .thread = m->thread,
                             .parent = TP_NO_ID,
                             .first_child = TP_NO_ID,
                             .last_child = TP_NO_ID,
                             .next_sibling = TP_NO_ID};
}

void tp_functions_add_memory(struct tp_functions *functions)
{
    const struct tp_trace *trace = functions->trace;
    struct records records = {0};
    uint32_t host_count = functions->count;
    collect(&records, functions);
    /* covered: +1 where an event's records begin, -1 behind their end */
    int32_t *covered = tp_arena_array(functions->arena, (size_t)records.count + 1, sizeof *covered);
    for (uint32_t i = 0; records.count && i < host_count; i++) {
        struct tp_function *f = &functions->items[i];
        if (f->flags & TP_FUNCTION_DEVICE)
            continue;
        uint32_t first = count_before(functions, &records, f->start_ns, false);
        uint32_t end = count_before(functions, &records, f->end_ns, true);
        if (end <= first)
            continue;
        f->cpu_bytes = clamp(records.cpu[end] - records.cpu[first]);
        f->device_bytes = clamp(records.device[end] - records.device[first]);
        covered[first]++;
        covered[end]--;
    }
    int64_t depth = 0;
    for (uint32_t i = 0; i < records.count; i++) {
        depth += covered[i];
        if (depth == 0)
            add_item(functions, records.order[i].item);
    }
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (trace->memory[i].flags & TP_MEMORY_OUT_OF_MEMORY)
            add_item(functions, i);
}
