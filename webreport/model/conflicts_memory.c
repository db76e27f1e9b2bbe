/* Counts memory records that contradict other memory records: see conflicts_parts.h. */
#include "webreport/model/conflicts_parts.h"

/* A graph of memory totals. Each record is an edge from the total before the record to the total after it. In any
 * order of the records, each total is entered as often as it is left, except the first and the last total. */
struct balance {
    struct total {
        int64_t value;
        int32_t surplus; /* number of records that enter the total, minus number of records that leave the total */
        bool is_used;
    } * slots;
    size_t mask; /* number of slots minus 1 */
};

static struct balance make_balance_of_totals(uint32_t record_count, struct tp_arena *arena)
{
    size_t size = 16;
    while (size < (size_t)record_count * 4)
        size *= 2;
    return (struct balance){tp_arena_array(arena, size, sizeof(struct total)), size - 1};
}

static void add_total_to_balance(struct balance *balance, int64_t value, uint32_t place, int surplus)
{
    size_t at = tp_hash_mix((uint64_t)value ^ UINT64_C(0x9E3779B97F4A7C15), place + UINT64_C(0xE7037ED1A0B428DB));
    struct total *slot;
    value ^= (int64_t)place << 48; /* totals are below 2^48, so the upper 16 bits can store the device */
    for (;; at++) {
        slot = &balance->slots[at & balance->mask];
        if (!slot->is_used || slot->value == value)
            break;
    }
    slot->is_used = true;
    slot->value = value;
    slot->surplus += surplus;
}

/* Returns true if the totals of a record are exact. Allocators of GPUs update their totals under a lock. CPU totals are
 * not exact, because threads that are not recorded change them too. */
static bool are_totals_exact(const struct tp_trace *trace, const struct tp_memory *record)
{
    int64_t type = tp_memory_place(trace, record)->type;
    bool has_totals = tp_memory_rare(trace, record)->total_allocated != TP_NULL_INT;
    bool is_gpu = type == TP_DEVICE_CUDA || type == TP_DEVICE_HIP;
    return has_totals && is_gpu && !(record->flags & TP_MEMORY_OUT_OF_MEMORY);
}

/* State of one device while its records are visited in time order. */
struct device_totals {
    int64_t first, last; /* first: total before the first record, bytes; last: total after the last record, bytes */
    bool is_begun;
};

static int64_t total_before(const struct tp_trace *trace, const struct tp_memory *record)
{
    return (int64_t)((uint64_t)tp_memory_rare(trace, record)->total_allocated - (uint64_t)record->bytes);
}

/* Counts records whose resulting total is not the starting total of another record of the device. Returns 0 if there
 * are more than 3 such records, because threads that are not recorded then probably allocate too. */
static uint64_t count_unreached_totals(const struct tp_trace *trace, const struct tp_order *order,
                                       struct tp_arena *arena)
{
    /* a damaged total contradicts its own record, the record before and the record after it */
    enum { MOST = 3 };
    struct balance balance = make_balance_of_totals(trace->memory_count, arena);
    struct device_totals *all_totals = tp_arena_array(arena, trace->memory_place_count, sizeof *all_totals);
    uint64_t surplus = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[order->memory[i]];
        if (!are_totals_exact(trace, record))
            continue;
        struct device_totals *totals = &all_totals[record->device];
        totals->first = totals->is_begun ? totals->first : total_before(trace, record);
        totals->last = tp_memory_rare(trace, record)->total_allocated;
        totals->is_begun = true;
        add_total_to_balance(&balance, totals->last, record->device, 1);
        add_total_to_balance(&balance, total_before(trace, record), record->device, -1);
    }
    for (uint32_t p = 0; p < trace->memory_place_count; p++) {
        if (!all_totals[p].is_begun)
            continue;
        add_total_to_balance(&balance, all_totals[p].first, p, 1);
        add_total_to_balance(&balance, all_totals[p].last, p, -1);
    }
    for (size_t i = 0; i <= balance.mask; i++)
        surplus += balance.slots[i].surplus > 0 ? (uint64_t)balance.slots[i].surplus : 0;
    tp_arena_free_item(arena, balance.slots, (balance.mask + 1) * sizeof *balance.slots);
    return surplus <= MOST ? surplus : 0;
}

/* Counts reserved totals that are higher than the total before and the total after, if these two totals are equal. Such
 * a total is damaged, because the allocator cannot free a segment before another record frees the blocks of the
 * segment. */
static uint64_t count_isolated_peaks(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena)
{
    struct {
        int64_t before, last;
        uint64_t count;
    } *places = tp_arena_array(arena, trace->memory_place_count, sizeof *places);
    uint64_t peaks = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[order->memory[i]];
        int64_t reserved = tp_memory_rare(trace, record)->total_reserved;
        if (!are_totals_exact(trace, record) || reserved == TP_NULL_INT)
            continue;
        uint32_t p = record->device;
        peaks += places[p].count >= 2 && places[p].before == reserved && places[p].last > reserved;
        places[p].before = places[p].last;
        places[p].last = reserved;
        places[p].count++;
    }
    return peaks;
}

/* Counts records whose time is earlier than the time of the previous record of their thread in the file. */
static uint64_t count_misordered_records(const struct tp_trace *trace, struct tp_arena *arena)
{
    int64_t *last_ns = tp_arena_array(arena, trace->thread_count, sizeof *last_ns);
    uint64_t moved = 0;
    for (uint32_t t = 0; t < trace->thread_count; t++)
        last_ns[t] = INT64_MIN;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        moved += record->ts_ns < last_ns[record->thread];
        last_ns[record->thread] = record->ts_ns;
    }
    return tp_conflicts_count_if_few(moved, trace->memory_count);
}

/* Counts memory records that start after the end of the recording. */
static uint64_t count_late_records(const struct tp_trace *trace)
{
    uint64_t late = 0;
    for (uint32_t i = 0; trace->reading.has_window_end && i < trace->memory_count; i++)
        late += trace->memory[i].ts_ns > trace->reading.window_end_ns;
    return late;
}

/* Counts records without a field that nearly all other records have. */
static uint64_t count_incomplete_records(const struct tp_trace *trace)
{
    uint64_t place = 0, address = 0, allocated = 0, reserved = 0;
    /* tracepress's own recorder counts small blocks of memory without recording their addresses */
    bool is_ours = tp_trace_header(trace, "tracepress_recorder").ptr;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        const struct tp_memory_rare *more = tp_memory_rare(trace, record);
        const struct tp_memory_place *at = tp_memory_place(trace, record);
        place += at->type == TP_NULL_INT || at->id == TP_NULL_INT;
        if (record->flags & TP_MEMORY_OUT_OF_MEMORY)
            continue;
        address += more->address == TP_NULL_INT;
        allocated += more->total_allocated == TP_NULL_INT;
        reserved += more->total_reserved == TP_NULL_INT;
    }
    uint64_t count = trace->memory_count;
    return tp_conflicts_count_if_few(place, count) + tp_conflicts_count_if_few(is_ours ? 0 : address, count) +
           tp_conflicts_count_if_few(allocated, count) + tp_conflicts_count_if_few(reserved, count);
}

uint64_t tp_conflicts_count_memory(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena)
{
    if (!trace->memory_count)
        return 0;
    return count_unreached_totals(trace, order, arena) + count_isolated_peaks(trace, order, arena) +
           count_misordered_records(trace, arena) + count_late_records(trace) + count_incomplete_records(trace);
}
