/* Memory records: order, devices, operators. See memory_records.h. */
#include "webreport/views/memory_records.h"

#include <stdio.h>

#include "webreport/model/sort.h"

/* ---- devices ------------------------------------------------------------------------------------------------------
 */

/* c10::DeviceType */
static const char *const type_names[] = {"CPU",  "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP",
                                         "FPGA", "MAIA", "XLA",    "VULKAN", "METAL",  "XPU",   "MPS",
                                         "META", "HPU",  "VE",     "LAZY",   "IPU",    "MTIA",  "PRIVATEUSE1"};
enum { TYPE_COUNT = sizeof type_names / sizeof *type_names, CUDA = 1, HIP = 6 };

static struct tp_str keep(struct tp_arena *arena, const char *text, int size)
{
    return (struct tp_str){tp_arena_copy(arena, text, (size_t)size), (size_t)size};
}

/* CPU, GPU0, XPU1, DEVICE33:0 */
static struct tp_str device_name(struct tp_arena *arena, int64_t type, int64_t id)
{
    char out[64];
    const char *name = type == CUDA || type == HIP ? "GPU" : type > 0 && type < TYPE_COUNT ? type_names[type] : NULL;
    if (type == 0)
        return TP_STR("CPU");
    if (name)
        return keep(arena, out, snprintf(out, sizeof out, "%s%lld", name, (long long)id));
    return keep(arena, out, snprintf(out, sizeof out, "DEVICE%lld:%lld", (long long)type, (long long)id));
}

/* cpu:-1, cuda:0, device33:0 */
static struct tp_str peak_key(struct tp_arena *arena, int64_t type, int64_t id)
{
    char lower[16] = {0}, out[64];
    if (type < 0 || type >= TYPE_COUNT)
        return keep(arena, out, snprintf(out, sizeof out, "device%lld:%lld", (long long)type, (long long)id));
    for (unsigned i = 0; type_names[type][i]; i++)
        lower[i] = (char)(type_names[type][i] >= 'A' && type_names[type][i] <= 'Z' ? type_names[type][i] + 32
                                                                                   : type_names[type][i]);
    return keep(arena, out, snprintf(out, sizeof out, "%s:%lld", lower, (long long)id));
}

static int compare_devices(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_device_memory *x = (const struct tp_device_memory *)context + i;
    const struct tp_device_memory *y = (const struct tp_device_memory *)context + j;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Collects the devices in order of (type, id); seen: (type, id) as numbers, in the order in which records name them. */
static void sort_devices(struct tp_memory_records *records, const struct tp_tuples *seen)
{
    uint32_t count = records->device_count = tp_tuples_count(seen);
    struct tp_device_memory *found = tp_arena_array(records->arena, count, sizeof *found);
    uint32_t *rows = tp_arena_array(records->arena, count, sizeof *rows);
    uint32_t *rank = tp_arena_array(records->arena, count, sizeof *rank);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *key = tp_tuples_get(seen, i);
        found[i].type = (int64_t)((uint64_t)key[1] << 32 | key[0]);
        found[i].id = (int64_t)((uint64_t)key[3] << 32 | key[2]);
        rows[i] = i;
    }
    tp_sort_rows(rows, count, compare_devices, found, records->arena);
    records->devices = tp_arena_array(records->arena, count, sizeof *records->devices);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_device_memory *device = &records->devices[i];
        *device = found[rows[i]];
        device->name = device_name(records->arena, device->type, device->id);
        device->peak_key = peak_key(records->arena, device->type, device->id);
        rank[rows[i]] = i;
    }
    for (uint32_t i = 0; i < records->count; i++)
        records->items[i].device = rank[records->items[i].device];
}

static void group_by_device(struct tp_memory_records *records)
{
    uint32_t *first = tp_arena_array(records->arena, (size_t)records->device_count + 2, sizeof *first);
    records->by_device = tp_arena_array(records->arena, records->count, sizeof *records->by_device);
    for (uint32_t i = 0; i < records->count; i++)
        first[records->items[i].device + 2]++;
    for (uint32_t d = 0; d < records->device_count; d++)
        first[d + 2] += first[d + 1];
    for (uint32_t i = 0; i < records->count; i++)
        records->by_device[first[records->items[i].device + 1]++] = i;
    records->device_first = first;
}

/* ---- operators ----------------------------------------------------------------------------------------------------
 */

/* Gives each record of one thread, in order of time, the innermost operator with start <= ts < end. */
static void attribute_thread(struct tp_memory_records *records, uint32_t thread, const uint32_t *mine, uint32_t count)
{
    const struct tp_operators *ops = &records->model->operators;
    uint32_t next = ops->thread_first[thread], end = ops->thread_first[thread + 1], open = TP_NO_ID;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_memory_record *record = &records->items[mine[i]];
        while (next < end && tp_operator_event(records->model, next)->ts_ns <= record->ts_ns)
            open = next++;
        while (open != TP_NO_ID && record->ts_ns >= ops->clipped_end[open])
            open = ops->parent[open];
        record->owner = open;
    }
}

static void attribute(struct tp_memory_records *records, const uint32_t *thread_of)
{
    uint32_t threads = records->model->trace->thread_count;
    uint32_t *first = tp_arena_array(records->arena, (size_t)threads + 2, sizeof *first);
    uint32_t *sorted = tp_arena_array(records->arena, records->count, sizeof *sorted);
    for (uint32_t i = 0; i < records->count; i++)
        first[thread_of[i] + 2]++;
    for (uint32_t t = 0; t < threads; t++)
        first[t + 2] += first[t + 1];
    for (uint32_t i = 0; i < records->count; i++)
        sorted[first[thread_of[i] + 1]++] = i;
    for (uint32_t t = 0; t < threads; t++)
        attribute_thread(records, t, sorted + first[t], first[t + 1] - first[t]);
    tp_arena_drop(records->arena, sorted, records->count * sizeof *sorted);
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

static int64_t or_else(int64_t value, int64_t absent)
{
    return value == TP_NULL_INT ? absent : value;
}

void tp_memory_records_build(struct tp_memory_records *records, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct tp_tuples seen;
    memset(records, 0, sizeof *records);
    records->model = model;
    records->arena = arena;
    records->count = (uint32_t)model->memory_count;
    records->items = tp_arena_array(arena, records->count, sizeof *records->items);
    struct tp_keyed *sorted = tp_arena_array(arena, records->count, sizeof *sorted);
    uint32_t *thread_of = tp_arena_array(arena, records->count, sizeof *thread_of), n = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if ((trace->memory[i].flags & TP_MEMORY_IN_VIEWS) && !(trace->memory[i].flags & TP_MEMORY_OUT_OF_MEMORY))
            sorted[n++] = (struct tp_keyed){trace->memory[i].ts_ns, i, i};
    tp_sort_keyed(sorted, n, arena);
    tp_tuples_init(&seen, arena, 4);
    for (uint32_t i = 0; i < n; i++) {
        const struct tp_memory *from = &trace->memory[sorted[i].item];
        uint64_t type = (uint64_t)or_else(from->device_type, 0), id = (uint64_t)or_else(from->device_id, -1);
        uint32_t key[4] = {(uint32_t)type, (uint32_t)(type >> 32), (uint32_t)id, (uint32_t)(id >> 32)};
        struct tp_memory_record *record = &records->items[i];
        record->ts_ns = from->ts_ns;
        record->bytes = or_else(from->bytes, 0);
        record->address = from->address;
        record->total_allocated = from->total_allocated;
        record->total_reserved = from->total_reserved;
        record->device = tp_tuples_add(&seen, key);
        thread_of[i] = from->thread;
    }
    sort_devices(records, &seen);
    group_by_device(records);
    attribute(records, thread_of);
    tp_arena_drop(arena, sorted, records->count * sizeof *sorted);
    tp_arena_drop(arena, thread_of, records->count * sizeof *thread_of);
}
