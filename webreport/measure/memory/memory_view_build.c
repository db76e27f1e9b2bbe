/* Implements memory_view.h: builds devices, curves and blocks. memory_operators.c sums bytes by operator. */
#include "webreport/measure/memory/memory_view.h"

#include "webreport/measure/memory/memory_records.h"
#include "writer/base/saturate.h"

static const struct tp_column_def info_defs[TP_MEMORY_INFO_COLUMNS] = {
    {"device", "Device", "", "Name of the device.", TP_COLUMN_TEXT},
    {"device_type", "Type", "", "Number of the device's type (c10::DeviceType).", TP_COLUMN_INT},
    {"device_id", "Id", "", "Number of the device; -1 for the host.", TP_COLUMN_INT},
    {"records", "Records", "", "Number of memory records.", TP_COLUMN_INT},
    {"allocations", "Allocations", "", "Number of allocations.", TP_COLUMN_INT},
    {"releases", "Releases", "", "Number of releases.", TP_COLUMN_INT},
    {"allocated_bytes", "Allocated", "bytes", "Sum of the bytes of all allocations.", TP_COLUMN_BYTES},
    {"released_bytes", "Released", "bytes", "Sum of the bytes of all releases.", TP_COLUMN_BYTES},
    {"peak_allocated_bytes", "Peak allocated", "bytes", "Largest total of allocated bytes that the allocator reported.",
     TP_COLUMN_BYTES},
    {"peak_allocated_at_us", "Peak at", "us", "Time of the peak, relative to the start of the trace.", TP_COLUMN_NS},
    {"peak_reserved_bytes", "Peak reserved", "bytes",
     "Largest total of bytes that the allocator reserved from the driver.", TP_COLUMN_BYTES},
    {"capacity_bytes", "Capacity", "bytes", "Total memory of the device.", TP_COLUMN_BYTES},
    {"unattributed_size_increase_bytes", "Outside {operators}", "bytes",
     "Bytes allocated minus bytes released outside all {operators}.", TP_COLUMN_BYTES},
    {"unattributed_allocation_count", "Allocations outside {operators}", "",
     "Number of allocations outside all {operators}.", TP_COLUMN_INT},
    {"unattributed_allocation_size_bytes", "Allocated outside {operators}", "bytes",
     "Bytes allocated outside all {operators}.", TP_COLUMN_BYTES},
};
static const struct tp_column_def curve_defs[TP_CURVE_COLUMNS] = {
    {"time_us", "Time", "us", "Time of the record, relative to the start of the trace.", TP_COLUMN_NS},
    {"allocated_bytes", "Allocated", "bytes", "Total of allocated bytes after this record.", TP_COLUMN_BYTES},
    {"reserved_bytes", "Reserved", "bytes", "Total of reserved bytes after this record.", TP_COLUMN_BYTES},
};
static const struct tp_column_def block_defs[TP_BLOCK_COLUMNS] = {
    {"operator", "{Operator}", "",
     "{Operator} that allocated the block; if only the release was recorded, the {operator} that released it.",
     TP_COLUMN_TEXT},
    {"size_bytes", "Size", "bytes", "Size of the block.", TP_COLUMN_BYTES},
    {"allocation_time_us", "Allocated at", "us",
     "Time of the allocation, relative to the start of the trace; empty if it was before the trace.", TP_COLUMN_NS},
    {"release_time_us", "Released at", "us",
     "Time of the release, relative to the start of the trace; empty if the block was not released.", TP_COLUMN_NS},
};

static const struct tp_memory_record *record_of_device(const struct tp_memory_records *records, uint32_t device,
                                                       size_t i)
{
    return &records->items[records->by_device[records->first_of_device[device] + i]];
}

static size_t record_count(const struct tp_memory_records *records, uint32_t device)
{
    return records->first_of_device[device + 1] - records->first_of_device[device];
}

/* ---- curve ---- */

struct point {
    int64_t ts_ns;
    const struct tp_memory_rare *more;
};

/* Marks the points that the curve keeps and returns their number. Below the limit, keeps all points. Otherwise keeps
 * the first and the last point, and divides the inner points into equal groups. Each group keeps its first, first
 * lowest, first highest and last point. */
static size_t choose_points_of_curve(const struct point *points, size_t count, uint8_t *keep)
{
    size_t kept = 0;
    if (count <= TP_CURVE_POINTS) {
        memset(keep, 1, count);
        return count;
    }
    const size_t inner = count - 2, groups = (TP_CURVE_POINTS - 2) / 4;
    keep[0] = keep[count - 1] = 1;
    for (size_t g = 0; g < groups; g++) {
        size_t i = 1 + g * inner / groups, j = 1 + (g + 1) * inner / groups, low = i, high = i;
        for (size_t k = i; k < j; k++) {
            if (points[k].more->total_allocated < points[low].more->total_allocated)
                low = k;
            if (points[k].more->total_allocated > points[high].more->total_allocated)
                high = k;
        }
        keep[i] = keep[j - 1] = keep[low] = keep[high] = 1;
    }
    for (size_t i = 0; i < count; i++)
        kept += keep[i];
    return kept;
}

static void build_curve_of_device(struct tp_memory_records *records, uint32_t device, int64_t first_ns)
{
    struct tp_table *table = &records->devices[device].curve;
    const struct tp_trace *trace = records->model->trace;
    size_t all = trace->memory_rare ? record_count(records, device) : 0, count = 0, row = 0;
    struct point *points = tp_arena_array(records->arena, all, sizeof *points);
    for (size_t i = 0; i < all; i++) {
        const struct tp_memory *raw = tp_memory_trace_record(records, record_of_device(records, device, i));
        const struct tp_memory_rare *more = tp_memory_rare(trace, raw);
        if (more->total_allocated != TP_NULL_INT)
            points[count++] = (struct point){raw->ts_ns, more};
    }
    uint8_t *keep = tp_arena_array(records->arena, count, sizeof *keep);
    tp_table_init(table, records->arena, "curve", curve_defs, TP_CURVE_COLUMNS,
                  choose_points_of_curve(points, count, keep));
    table->title = "Memory over time";
    for (size_t i = 0; i < count; i++) {
        if (!keep[i])
            continue;
        tp_table_int(table, TP_CURVE_TIME)[row] = tp_sat_sub(points[i].ts_ns, first_ns);
        tp_table_int(table, TP_CURVE_ALLOCATED)[row] = points[i].more->total_allocated;
        tp_table_int(table, TP_CURVE_RESERVED)[row++] = points[i].more->total_reserved;
    }
    tp_arena_free_item(records->arena, points, all * sizeof *points);
    tp_arena_free_item(records->arena, keep, count * sizeof *keep);
}

/* ---- blocks ---- */

/* Pairs each allocation on a device with the release of the same address. The row of a pair is at the position of
 * the pair's first record. */
static void build_block_table_of_device(struct tp_memory_records *records, uint32_t device, int64_t first_ns)
{
    struct block {
        int64_t size, allocated, released;
        uint32_t owner;
    };
    struct tp_vec blocks = TP_VEC(records->arena, struct block), live = TP_VEC(records->arena, uint32_t);
    struct tp_keys addresses;
    tp_keys_init(&addresses, records->arena, 2);
    for (size_t i = 0; i < record_count(records, device); i++) {
        const struct tp_memory_record *record = record_of_device(records, device, i);
        const struct tp_memory *raw = tp_memory_trace_record(records, record);
        int64_t bytes = tp_memory_bytes(records, record);
        uint64_t address = (uint64_t)tp_memory_rare(records->model->trace, raw)->address;
        if (address == (uint64_t)TP_NULL_INT || bytes == 0)
            continue;
        uint32_t id = tp_keys_pair(&addresses, (uint32_t)address, (uint32_t)(address >> 32));
        if (id == live.count)
            *(uint32_t *)tp_vec_push(&live) = 0; /* index of the live block at this address + 1; 0: no block */
        uint32_t *block = TP_AT(&live, uint32_t, id);
        int64_t at = tp_sat_sub(raw->ts_ns, first_ns);
        if (bytes > 0) {
            *(struct block *)tp_vec_push(&blocks) = (struct block){bytes, at, TP_NULL_INT, record->owner};
            *block = (uint32_t)blocks.count;
        } else if (*block) {
            TP_AT(&blocks, struct block, *block - 1)->released = at;
            *block = 0;
        } else {
            *(struct block *)tp_vec_push(&blocks) = (struct block){-bytes, TP_NULL_INT, at, record->owner};
        }
    }
    struct tp_table *table = &records->devices[device].blocks;
    tp_table_init(table, records->arena, "blocks", block_defs, TP_BLOCK_COLUMNS, blocks.count);
    table->title = "Memory blocks";
    for (size_t i = 0; i < blocks.count; i++) {
        const struct block *block = TP_AT(&blocks, struct block, i);
        if (block->owner != TP_NO_ID)
            tp_table_text(table, TP_BLOCK_OPERATOR)[i] =
                tp_trace_event_name(records->model->trace, tp_operator_event(records->model, block->owner));
        tp_table_int(table, TP_BLOCK_SIZE)[i] = block->size;
        tp_table_int(table, TP_BLOCK_ALLOCATED_AT)[i] = block->allocated;
        tp_table_int(table, TP_BLOCK_RELEASED_AT)[i] = block->released;
    }
    tp_arena_free_item(records->arena, blocks.data, blocks.capacity * sizeof(struct block));
    tp_arena_free_item(records->arena, live.data, live.capacity * sizeof(uint32_t));
    tp_keys_release(&addresses);
}

/* ---- devices ---- */

static void add_to_table_cell(struct tp_table *table, unsigned column, size_t row, int64_t value)
{
    int64_t *cell = &tp_table_int(table, column)[row];
    *cell = tp_sat_add(*cell, value);
}

static void sum_memory_of_device(struct tp_table *table, const struct tp_memory_records *records, uint32_t device,
                                 int64_t first_ns)
{
    int64_t *peak = &tp_table_int(table, TP_MEMORY_PEAK)[device], *at = &tp_table_int(table, TP_MEMORY_PEAK_AT)[device];
    int64_t *reserved = &tp_table_int(table, TP_MEMORY_PEAK_RESERVED)[device];
    *peak = *at = *reserved = TP_NULL_INT; /* initial value, smaller than every recorded number */
    for (size_t i = 0; i < record_count(records, device); i++) {
        const struct tp_memory_record *record = record_of_device(records, device, i);
        const struct tp_memory *raw = tp_memory_trace_record(records, record);
        const struct tp_memory_rare *more = tp_memory_rare(records->model->trace, raw);
        int64_t bytes = tp_memory_bytes(records, record), size = bytes > 0 ? bytes : 0;
        add_to_table_cell(table, TP_MEMORY_RECORDS, device, 1);
        add_to_table_cell(table, TP_MEMORY_ALLOCATIONS, device, bytes > 0);
        add_to_table_cell(table, TP_MEMORY_RELEASES, device, bytes < 0);
        add_to_table_cell(table, TP_MEMORY_ALLOCATED, device, size);
        add_to_table_cell(table, TP_MEMORY_RELEASED, device, bytes < 0 ? -bytes : 0);
        if (more->total_allocated > *peak) {
            *peak = more->total_allocated;
            *at = tp_sat_sub(raw->ts_ns, first_ns);
        }
        if (more->total_allocated != TP_NULL_INT && more->total_reserved > *reserved)
            *reserved = more->total_reserved;
        if (record->owner != TP_NO_ID)
            continue;
        add_to_table_cell(table, TP_MEMORY_LOOSE_INCREASE, device, bytes);
        add_to_table_cell(table, TP_MEMORY_LOOSE_COUNT, device, bytes > 0);
        add_to_table_cell(table, TP_MEMORY_LOOSE_SIZE, device, size);
    }
}

static void fill_device(struct tp_table *table, struct tp_memory_records *records, uint32_t device, int64_t first_ns)
{
    struct tp_device_memory *out = &records->devices[device];
    tp_table_text(table, TP_MEMORY_DEVICE)[device] = out->name;
    tp_table_int(table, TP_MEMORY_DEVICE_TYPE)[device] = out->type;
    tp_table_int(table, TP_MEMORY_DEVICE_ID)[device] = out->id;
    tp_table_int(table, TP_MEMORY_CAPACITY)[device] = tp_memory_capacity(records->model->trace, out->type, out->id);
    sum_memory_of_device(table, records, device, first_ns);
    int64_t peak = tp_table_int(table, TP_MEMORY_PEAK)[device];
    out->has_peak = peak != TP_NULL_INT;
    out->peak_bytes = peak > 0 ? peak : 0;
    build_curve_of_device(records, device, first_ns);
    build_block_table_of_device(records, device, first_ns);
}

/* Finds the device that JSON shows for each name. Devices of one name, such as a CUDA and a HIP device 0, share one
 * member of the JSON object. The member shows the data of the last of these devices. */
static void find_shown_devices(struct tp_memory_view *view, struct tp_arena *arena)
{
    struct tp_strings names;
    uint32_t *first = tp_arena_array(arena, view->device_count, sizeof *first);
    tp_strings_init(&names, arena, 0);
    for (uint32_t d = 0; d < view->device_count; d++) {
        uint32_t known = names.count, id = tp_strings_add(&names, view->devices[d].name);
        if (id == known)
            first[id] = d;
        view->devices[d].shown = TP_NO_ID;
        view->devices[first[id]].shown = d;
    }
}

/* Returns the index of the first device, in alphabetical order, whose name begins with GPU; 0 without such a device. */
static uint32_t find_default_device(const struct tp_memory_view *view)
{
    uint32_t best = TP_NO_ID;
    for (uint32_t d = 0; d < view->device_count; d++)
        if (tp_str_starts(view->devices[d].name, "GPU") &&
            (best == TP_NO_ID || tp_str_compare(view->devices[d].name, view->devices[best].name) < 0))
            best = d;
    return best == TP_NO_ID ? 0 : best;
}

void tp_memory_view_build(struct tp_memory_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_memory_records records;
    memset(view, 0, sizeof *view);
    view->is_present = model->memory_count > 0;
    view->first_ns = model->first_ns;
    if (!view->is_present)
        return;
    tp_memory_records_build(&records, model, arena);
    view->devices = records.devices;
    view->device_count = records.device_count;
    tp_table_init(&view->information, arena, "device_information", info_defs, TP_MEMORY_INFO_COLUMNS,
                  view->device_count);
    view->information.title = "Memory devices";
    for (uint32_t d = 0; d < view->device_count; d++)
        fill_device(&view->information, &records, d, view->first_ns);
    tp_memory_ops_build(&records);
    find_shown_devices(view, arena);
    view->default_device = find_default_device(view);
    tp_arena_free_item(arena, records.items, records.count * sizeof *records.items);
    tp_arena_free_item(arena, records.by_device, records.count * sizeof *records.by_device);
}

/* ---- fields ---- */

/* Sets item->key to the name of the next device, and returns the device whose tables JSON shows under this name.
 * Returns NULL after the last device. */
static const struct tp_device_memory *next_device(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_view *view = record->at;
    while (*cursor < view->device_count && view->devices[*cursor].shown == TP_NO_ID)
        ++*cursor;
    if (*cursor >= view->device_count)
        return NULL;
    item->key = view->devices[*cursor].name;
    return &view->devices[view->devices[(*cursor)++].shown];
}

static bool next_curve(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_device_memory *device = next_device(record, cursor, item);
    if (device)
        item->value = tp_json_value_cells(&device->curve);
    return device;
}

static bool next_blocks(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_device_memory *device = next_device(record, cursor, item);
    if (device)
        item->value = tp_json_value_cells(&device->blocks);
    return device;
}

static bool next_operators(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_device_memory *device = next_device(record, cursor, item);
    if (device)
        item->value = tp_json_value_table(&device->operators);
    return device;
}

static bool next_folded(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_device_memory *device = next_device(record, cursor, item);
    if (device)
        item->value = tp_json_value_table(&device->operators_folded);
    return device;
}

static bool next_peak(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_view *view = record->at;
    if (*cursor >= view->device_count)
        return false;
    const struct tp_device_memory *device = &view->devices[(*cursor)++];
    item->key = device->peak_key;
    item->value = device->has_peak ? tp_json_value_int(device->peak_bytes) : tp_json_value_absent();
    return true;
}

static bool next_device_name(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_view *view = record->at;
    if (*cursor >= view->device_count)
        return false;
    item->value = tp_json_value_str(view->devices[(*cursor)++].name);
    return true;
}

static struct tp_json_value default_device_name(const struct tp_record *record)
{
    const struct tp_memory_view *view = record->at;
    return tp_json_value_str(view->devices[view->default_device].name);
}

static struct tp_json_value curve_columns(const struct tp_record *record)
{
    const struct tp_memory_view *view = record->at;
    return tp_json_value_columns(&view->devices[0].curve);
}

static struct tp_json_value block_columns(const struct tp_record *record)
{
    const struct tp_memory_view *view = record->at;
    return tp_json_value_columns(&view->devices[0].blocks);
}

#define F struct tp_memory_view
static const struct tp_json_field fields[] = {
    {"devices", TP_LIST(next_device_name, NULL), TP_DEFINITION("devices with memory records")},
    {"default_device", TP_COMPUTED(TP_AS_TEXT, default_device_name), TP_DEFINITION("device that the page shows first")},
    {"device_information", TP_PLAIN(F, information), TP_DEFINITION("sums, counts and peaks of memory for each device")},
    {"first_ts_us", TP_US(F, first_ns),
     TP_DEFINITION("start of the trace, to which all other times of the memory view are relative")},
    {"peak_bytes", TP_MAP(next_peak, NULL),
     TP_DEFINITION("largest number of bytes allocated at the same time, by device type and number")},
    {"curve_point_columns", TP_COMPUTED(TP_AS_COLUMNS, curve_columns),
     TP_DEFINITION("names of the values of each point in curve_points_up_to_10240")},
    {"curve_points_up_to_10240", TP_MAP(next_curve, NULL),
     TP_DEFINITION("allocated and reserved bytes over time, by device")},
    {"event_columns", TP_COMPUTED(TP_AS_COLUMNS, block_columns),
     TP_DEFINITION("names of the values of each memory block in events")},
    {"events", TP_MAP(next_blocks, NULL), TP_DEFINITION("blocks of memory, by device")},
    {"operator_stats", TP_MAP(next_operators, NULL), TP_DEFINITION("memory by operator, by device")},
    {"operator_stats_folded", TP_MAP(next_folded, NULL),
     TP_DEFINITION("memory by operator, by device; memory that an allocation helper such as aten::empty allocates is "
                   "assigned to the caller of the helper")},
};
#undef F

const struct tp_fields tp_memory_view_fields = TP_FIELDS("Memory", fields);
