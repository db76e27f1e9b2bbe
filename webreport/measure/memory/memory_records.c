/* Implements memory_records.h: orders memory records and finds their devices and operators. */
#include "webreport/measure/memory/memory_records.h"

#include <stdio.h>

#include "writer/base/sort.h"

/* ---- devices ---- */

/* names of the values of c10::DeviceType */
static const char *const type_names[] = {"CPU",  "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP",
                                         "FPGA", "MAIA", "XLA",    "VULKAN", "METAL",  "XPU",   "MPS",
                                         "META", "HPU",  "VE",     "LAZY",   "IPU",    "MTIA",  "PRIVATEUSE1"};
enum { TYPE_COUNT = sizeof type_names / sizeof *type_names };

static struct tp_str copy_text(struct tp_arena *arena, const char *text, int size)
{
    return (struct tp_str){tp_arena_copy(arena, text, (size_t)size), (size_t)size};
}

/* Returns the name of a device, such as "CPU", "GPU0", "XPU1" or "DEVICE33:0". */
static struct tp_str device_name(struct tp_arena *arena, int64_t type, int64_t id)
{
    char out[64];
    bool is_gpu = type == TP_DEVICE_CUDA || type == TP_DEVICE_HIP;
    const char *name = is_gpu ? "GPU" : type > 0 && type < TYPE_COUNT ? type_names[type] : NULL;
    if (type == TP_DEVICE_CPU)
        return TP_STR("CPU");
    if (name)
        return copy_text(arena, out, snprintf(out, sizeof out, "%s%lld", name, (long long)id));
    return copy_text(arena, out, snprintf(out, sizeof out, "DEVICE%lld:%lld", (long long)type, (long long)id));
}

/* Returns the key of a device in peak_bytes, such as "cpu:-1", "cuda:0" or "device33:0". */
static struct tp_str peak_key(struct tp_arena *arena, int64_t type, int64_t id)
{
    char lower[16] = {0}, out[64];
    if (type < 0 || type >= TYPE_COUNT)
        return copy_text(arena, out, snprintf(out, sizeof out, "device%lld:%lld", (long long)type, (long long)id));
    for (unsigned i = 0; type_names[type][i]; i++)
        lower[i] = (char)(type_names[type][i] >= 'A' && type_names[type][i] <= 'Z' ? type_names[type][i] + 32
                                                                                   : type_names[type][i]);
    return copy_text(arena, out, snprintf(out, sizeof out, "%s:%lld", lower, (long long)id));
}

int64_t tp_memory_capacity(const struct tp_trace *trace, int64_t type, int64_t id)
{
    bool has_properties = type == TP_DEVICE_CUDA || type == TP_DEVICE_HIP || type == TP_DEVICE_XPU;
    const struct tp_gpu_property *property = has_properties ? tp_model_gpu_property(trace, id) : NULL;
    return property ? property->total_memory_bytes : TP_NULL_INT;
}

static int compare_devices(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_device_memory *x = (const struct tp_device_memory *)context + i;
    const struct tp_device_memory *y = (const struct tp_device_memory *)context + j;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Sorts the devices by (type, id). seen: pairs (type, id) of all devices, in the order of their first records. */
static void sort_devices(struct tp_memory_records *records, const struct tp_keys *seen)
{
    uint32_t count = records->device_count = tp_keys_count(seen);
    struct tp_device_memory *found = tp_arena_array(records->arena, count, sizeof *found);
    uint32_t *rows = tp_arena_array(records->arena, count, sizeof *rows);
    uint32_t *rank = tp_arena_array(records->arena, count, sizeof *rank);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *key = tp_keys_get(seen, i);
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
    records->first_of_device = first;
}

/* ---- operators ---- */

/* a cursor over the operators of one thread; callers pass records in order of time */
struct cursor {
    /* open: innermost operator that is running at the time of the last record; TP_NO_ID: no operator */
    uint32_t next, end, open;
};

/* Returns the innermost operator that is running at time `at`; TP_NO_ID if no operator is. All other running
 * operators enclose this operator. */
static uint32_t operator_at(const struct tp_model *model, struct cursor *cursor, int64_t at)
{
    while (cursor->next < cursor->end && tp_operator_event(model, cursor->next)->ts_ns <= at)
        cursor->open = cursor->next++;
    while (cursor->open != TP_NO_ID && at >= tp_operator_end(model, cursor->open))
        cursor->open = model->operators.parent[cursor->open];
    return cursor->open;
}

static struct cursor *make_cursors_of_threads(const struct tp_model *model, struct tp_arena *arena)
{
    const uint32_t *first = model->operators.thread_first;
    struct cursor *cursors = tp_arena_array(arena, model->trace->thread_count, sizeof *cursors);
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        cursors[t] = (struct cursor){first[t], first[t + 1], TP_NO_ID};
    return cursors;
}

/* ---- all records ---- */

static int64_t value_or_absent_value(int64_t value, int64_t absent)
{
    return value == TP_NULL_INT ? absent : value;
}

/* Fills records->items with the records that the views show, in order of time. Failed allocations are left out. */
static void list_records(struct tp_memory_records *records)
{
    const struct tp_trace *trace = records->model->trace;
    const uint32_t *order = records->model->order->memory;
    uint32_t n = 0;
    records->count = (uint32_t)records->model->memory_count;
    records->items = tp_arena_array(records->arena, records->count, sizeof *records->items);
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (!(trace->memory[order[i]].flags & TP_MEMORY_OUT_OF_MEMORY))
            records->items[n++].raw = order[i];
}

void tp_memory_records_build(struct tp_memory_records *records, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_keys seen;
    uint32_t last_key[4], last = TP_NO_ID;
    memset(records, 0, sizeof *records);
    records->model = model;
    records->arena = arena;
    list_records(records);
    struct cursor *cursors = make_cursors_of_threads(model, arena);
    tp_keys_init(&seen, arena, 4);
    for (uint32_t i = 0; i < records->count; i++) {
        struct tp_memory_record *record = &records->items[i];
        const struct tp_memory *raw = tp_memory_trace_record(records, record);
        uint64_t type = (uint64_t)value_or_absent_value(tp_memory_place(model->trace, raw)->type, 0),
                 id = (uint64_t)value_or_absent_value(tp_memory_place(model->trace, raw)->id, -1);
        uint32_t key[4] = {(uint32_t)type, (uint32_t)(type >> 32), (uint32_t)id, (uint32_t)(id >> 32)};
        if (last == TP_NO_ID || memcmp(key, last_key, sizeof key) != 0) {
            last = tp_keys_add(&seen, key);
            memcpy(last_key, key, sizeof key);
        }
        record->device = last;
        record->owner = operator_at(model, &cursors[raw->thread], raw->ts_ns);
    }
    sort_devices(records, &seen);
    group_by_device(records);
}
