/* Writes the memory records of the host's plane for XProf's memory profile. Each record is an event without duration
 * that has the state of its allocator.
 *
 * XProf adds "reserved" to the allocated bytes, so that the export omits the reserved bytes of torch's caching
 * allocator. */
#include "webreport/export/xplane/xplane_parts.h"
#include "webreport/measure/memory/memory_records.h"

enum { MEMORY_LINE = 1 << 30 };

struct memory_names {
    uint32_t alloc, release, allocator, reserved, allocated, available, fragmentation, peak, requested, size, address,
        op;
};

/* State of an allocator after the last written record. */
struct usage {
    /* now, peak: current and largest number of allocated bytes; capacity: bytes of the device, TP_NULL_INT if
     * unknown */
    int64_t now, peak, capacity;
};

static int64_t absolute_bytes(int64_t bytes)
{
    if (bytes == INT64_MIN)
        return INT64_MAX;
    return bytes < 0 ? -bytes : bytes;
}

static void write_memory_record(struct tp_xexport *x, struct tp_xplane *p, const struct tp_memory_records *records,
                                uint32_t i, const struct memory_names *n, struct usage *usage)
{
    const struct tp_memory_record *record = &records->items[i];
    const struct tp_memory *raw = tp_memory_trace_record(records, record);
    const struct tp_memory_rare *more = tp_memory_rare(x->trace, raw);
    const struct tp_device_memory *device = &records->devices[record->device];
    struct usage *u = &usage[record->device];
    int64_t bytes = tp_memory_bytes(records, record);
    if (__builtin_add_overflow(u->now, bytes, &u->now))
        u->now = 0;
    u->now = more->total_allocated == TP_NULL_INT ? u->now : more->total_allocated;
    u->peak = u->now > u->peak ? u->now : u->peak;
    int64_t held = u->now > 0 ? u->now : 0;
    int64_t left = u->capacity > held ? u->capacity - held : 0;
    struct tp_xstat stats[] = {tp_xstat_text(n->allocator, tp_xplane_add_text(p, device->name)),
                               tp_xstat_int(n->reserved, 0),
                               tp_xstat_int(n->allocated, held),
                               tp_xstat_int(n->available, left),
                               {.name = n->fragmentation, .type = TP_XSTAT_REAL, .real = 0},
                               tp_xstat_int(n->peak, u->peak),
                               tp_xstat_int(n->requested, absolute_bytes(bytes)),
                               tp_xstat_int(n->size, absolute_bytes(bytes)),
                               tp_xstat_int(n->address, more->address == TP_NULL_INT ? 0 : more->address),
                               {0}};
    unsigned count = 9;
    uint32_t scope = record->owner == TP_NO_ID ? TP_NO_ID : x->scope[x->model->operators.event[record->owner]];
    if (scope != TP_NO_ID)
        stats[count++] = tp_xstat_text(n->op, tp_xplane_add_text(p, tp_xscopes_get(&x->scopes, scope)->text));
    tp_xplane_add_event(p, &(struct tp_xevent){.start_ns = raw->ts_ns - x->first_ns,
                                               .name = bytes > 0 ? n->alloc : n->release,
                                               .stat_count = count,
                                               .stats = stats});
}

void tp_xexport_memory(struct tp_xexport *x, struct tp_xplane *p)
{
    struct tp_memory_records records;
    tp_memory_records_build(&records, x->model, x->arena);
    if (!records.count)
        return;
    struct memory_names names = {tp_xplane_add_name(p, TP_STR("MemoryAllocation"), TP_STR("")),
                                 tp_xplane_add_name(p, TP_STR("MemoryDeallocation"), TP_STR("")),
                                 tp_xplane_add_text(p, TP_STR("allocator_name")),
                                 tp_xplane_add_text(p, TP_STR("bytes_reserved")),
                                 tp_xplane_add_text(p, TP_STR("bytes_allocated")),
                                 tp_xplane_add_text(p, TP_STR("bytes_available")),
                                 tp_xplane_add_text(p, TP_STR("fragmentation")),
                                 tp_xplane_add_text(p, TP_STR("peak_bytes_in_use")),
                                 tp_xplane_add_text(p, TP_STR("requested_bytes")),
                                 tp_xplane_add_text(p, TP_STR("allocation_bytes")),
                                 tp_xplane_add_text(p, TP_STR("addr")),
                                 tp_xplane_add_text(p, TP_STR("tf_op"))};
    struct usage *usage = tp_arena_array(x->arena, records.device_count, sizeof *usage);
    for (uint32_t i = 0; i < records.device_count; i++)
        usage[i].capacity = tp_memory_capacity(x->trace, records.devices[i].type, records.devices[i].id);
    tp_xplane_begin_line(p, MEMORY_LINE, TP_STR("memory"));
    for (uint32_t i = 0; i < records.count; i++)
        if (tp_xexport_contains(x, tp_memory_trace_record(&records, &records.items[i])->ts_ns))
            write_memory_record(x, p, &records, i, &names, usage);
}
