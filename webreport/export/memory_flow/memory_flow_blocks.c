/* Finds the blocks of the picture: matches allocations with releases by address, and reduces gaps between addresses.
 * See memory_flow.h. */
#include "webreport/export/memory_flow/memory_flow.h"

#include "writer/base/id_map.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* height of a gap between addresses: at most 1 / GAP_SHARE of the used bytes, and at most half of the used bytes for
 * all gaps together */

enum { GAP_SHARE = 100 };

struct building {
    struct tp_memory_flow *flow;
    struct tp_vec blocks;   /* blocks found so far; elements: struct tp_flow_block */
    struct tp_id_map alive; /* for each address at which a block is allocated: index of this block */
    int64_t known_bytes;    /* bytes of all blocks that are currently allocated */
};

static void update_peak(struct tp_memory_flow *flow, int64_t bytes, int64_t at_ns)
{
    if (flow->peak_bytes != TP_NULL_INT && bytes <= flow->peak_bytes)
        return;
    flow->peak_bytes = bytes;
    flow->peak_at_ns = at_ns;
}

static void end_block_at_release(struct building *b, uint32_t *alive, int64_t at_ns, uint32_t flag)
{
    struct tp_flow_block *block = TP_AT(&b->blocks, struct tp_flow_block, *alive);
    block->end_ns = at_ns;
    block->flags = (block->flags & ~(uint32_t)TP_FLOW_NEVER_FREED) | flag;
    b->known_bytes = tp_sat_sub(b->known_bytes, block->bytes);
    *alive = TP_NO_ID;
}

static void begin_block_at_allocation(struct building *b, const struct tp_memory *raw, int64_t address, uint32_t owner)
{
    uint32_t *alive = tp_id_map_find_or_add(&b->alive, (uint64_t)address);
    if (*alive != TP_NO_ID)
        end_block_at_release(b, alive, raw->ts_ns, TP_FLOW_REUSED);
    *alive = (uint32_t)b->blocks.count;
    *(struct tp_flow_block *)tp_vec_push(&b->blocks) = (struct tp_flow_block){.start_ns = raw->ts_ns,
                                                                              .end_ns = b->flow->end_ns,
                                                                              .address = address,
                                                                              .bytes = raw->bytes,
                                                                              .owner = owner,
                                                                              .flags = TP_FLOW_NEVER_FREED};
    b->known_bytes = tp_sat_add(b->known_bytes, raw->bytes);
}

static void apply_memory_record(struct building *b, const struct tp_memory *raw, uint32_t owner, bool sums)
{
    if (raw->flags & TP_MEMORY_OUT_OF_MEMORY || raw->bytes == TP_NULL_INT || raw->bytes == 0)
        return;
    int64_t address = tp_memory_rare(b->flow->model->trace, raw)->address;
    if (address == TP_NULL_INT) {
        b->flow->without_address++;
    } else if (raw->bytes > 0) {
        begin_block_at_allocation(b, raw, address, owner);
    } else {
        uint32_t *alive = tp_id_map_find(&b->alive, (uint64_t)address);
        if (alive && *alive != TP_NO_ID)
            end_block_at_release(b, alive, raw->ts_ns, 0);
        else
            *(struct tp_flow_block *)tp_vec_push(&b->blocks) =
                (struct tp_flow_block){.start_ns = b->flow->start_ns,
                                       .end_ns = raw->ts_ns,
                                       .address = address,
                                       .bytes = tp_sat_sub(0, raw->bytes),
                                       .owner = TP_NO_ID,
                                       .flags = TP_FLOW_FROM_BEFORE};
    }
    if (sums)
        update_peak(b->flow, b->known_bytes, raw->ts_ns);
}

/* Fills the times of the first and the last event or record. */
static void find_time_range(struct tp_memory_flow *flow, const struct tp_memory_records *records)
{
    const struct tp_trace *trace = flow->model->trace;
    flow->start_ns = flow->end_ns = tp_memory_trace_record(records, &records->items[0])->ts_ns;
    for (uint32_t i = 0; i < records->count; i++) {
        int64_t at = tp_memory_trace_record(records, &records->items[i])->ts_ns;
        flow->start_ns = at < flow->start_ns ? at : flow->start_ns;
        flow->end_ns = at > flow->end_ns ? at : flow->end_ns;
    }
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind == TP_KIND_NONE || e->kind == TP_KIND_SPAN)
            continue;
        flow->start_ns = e->ts_ns < flow->start_ns ? e->ts_ns : flow->start_ns;
        flow->end_ns = tp_event_end(e) > flow->end_ns ? tp_event_end(e) : flow->end_ns;
    }
}

/* ---- addresses ---- */

/* Returns a block, or a segment for numbers from flow->count on, as a range of addresses. */
static struct tp_flow_range range_of(const struct tp_memory_flow *flow, uint32_t number)
{
    bool is_block = number < flow->count;
    int64_t address = is_block ? flow->blocks[number].address : flow->segments[number - flow->count].address;
    int64_t bytes = is_block ? flow->blocks[number].bytes : flow->segments[number - flow->count].bytes;
    return (struct tp_flow_range){address, tp_sat_add(address, bytes), 0};
}

static int compare_by_address(const void *context, uint32_t x, uint32_t y)
{
    int64_t a = range_of(context, x).start, b = range_of(context, y).start;
    return (a > b) - (a < b);
}

static void add_range(struct tp_vec *ranges, struct tp_flow_range range)
{
    struct tp_flow_range *last = ranges->count ? TP_AT(ranges, struct tp_flow_range, ranges->count - 1) : NULL;
    if (!last || range.start > last->end)
        *(struct tp_flow_range *)tp_vec_push(ranges) = range;
    else if (range.end > last->end)
        last->end = range.end;
}

void tp_memory_flow_place_addresses(struct tp_memory_flow *flow, struct tp_arena *arena)
{
    struct tp_vec ranges = TP_VEC(arena, struct tp_flow_range);
    uint32_t count = flow->count + flow->segment_count;
    uint32_t *order = tp_arena_array(arena, count, sizeof *order);
    double used = 0;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_by_address, flow, arena);
    for (uint32_t i = 0; i < count; i++)
        add_range(&ranges, range_of(flow, order[i]));
    flow->ranges = ranges.data;
    flow->range_count = (uint32_t)ranges.count;
    for (uint32_t i = 0; i < flow->range_count; i++)
        used += (double)flow->ranges[i].end - (double)flow->ranges[i].start;
    double most = used / GAP_SHARE, fair = used / 2 / (flow->range_count ? flow->range_count : 1);
    most = fair < most ? fair : most;
    for (uint32_t i = 0; i < flow->range_count; i++) {
        struct tp_flow_range *range = &flow->ranges[i];
        double gap = i ? (double)range->start - (double)range[-1].end : 0;
        range->position = flow->height += gap < most ? gap : most;
        flow->height += (double)range->end - (double)range->start;
    }
}

double tp_memory_flow_position(const struct tp_memory_flow *flow, int64_t address)
{
    /* bounds of a binary search for the last address range that starts at or before the address */

    uint32_t low = 0, high = flow->range_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (flow->ranges[middle].start <= address)
            low = middle;
        else
            high = middle;
    }
    return flow->ranges[low].position + ((double)address - (double)flow->ranges[low].start);
}

int64_t tp_memory_flow_address(const struct tp_memory_flow *flow, double place)
{
    uint32_t low = 0, high = flow->range_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (flow->ranges[middle].position <= place)
            low = middle;
        else
            high = middle;
    }
    const struct tp_flow_range *range = &flow->ranges[low];
    double length = (double)range->end - (double)range->start, inside = place - range->position;
    return inside >= length ? range->end : tp_sat_add(range->start, inside > 0 ? (int64_t)inside : 0);
}

/* ---- totals from records without addresses ---- */

/* Fills the allocated bytes over time. Uses the totals that the allocator reported, or if none exist, the sum of
 * all records up to each time. */
static void find_totals_over_time(struct tp_memory_flow *flow, const struct tp_memory_records *records, uint32_t device,
                                  struct tp_arena *arena)
{
    uint32_t first = records->first_of_device[device], count = records->first_of_device[device + 1] - first;
    int64_t sum = 0;
    flow->totals = tp_arena_array(arena, count, sizeof *flow->totals);
    for (uint32_t i = first; i < first + count; i++) {
        const struct tp_memory *raw = tp_memory_trace_record(records, &records->items[records->by_device[i]]);
        int64_t total = tp_memory_rare(records->model->trace, raw)->total_allocated;
        bool has_total = total != TP_NULL_INT;
        if (raw->flags & TP_MEMORY_OUT_OF_MEMORY || raw->bytes == TP_NULL_INT || has_total != flow->is_peak_reported)
            continue;
        sum = has_total ? total : tp_sat_add(sum, raw->bytes);
        if (flow->total_count == 0)
            flow->bytes_before = tp_sat_sub(sum, raw->bytes);
        flow->totals[flow->total_count++] = (struct tp_flow_total){raw->ts_ns, sum};
        if (!has_total)
            update_peak(flow, sum, raw->ts_ns);
    }
}

/* ---- picture ---- */

void tp_memory_flow_build(struct tp_memory_flow *flow, const struct tp_memory_records *records, uint32_t device,
                          struct tp_arena *arena)
{
    struct building b = {.flow = flow, .blocks = TP_VEC(arena, struct tp_flow_block)};
    *flow = (struct tp_memory_flow){
        .model = records->model, .device = records->devices[device].name, .peak_bytes = TP_NULL_INT};
    tp_id_map_init(&b.alive, arena);
    find_time_range(flow, records);
    for (uint32_t i = records->first_of_device[device]; i < records->first_of_device[device + 1]; i++) {
        const struct tp_memory *raw = tp_memory_trace_record(records, &records->items[records->by_device[i]]);
        int64_t total = tp_memory_rare(records->model->trace, raw)->total_allocated;
        if (total == TP_NULL_INT || raw->flags & TP_MEMORY_OUT_OF_MEMORY)
            continue;
        update_peak(flow, total, raw->ts_ns);
        flow->is_peak_reported = true;
    }
    for (uint32_t i = records->first_of_device[device]; i < records->first_of_device[device + 1]; i++) {
        const struct tp_memory_record *record = &records->items[records->by_device[i]];
        apply_memory_record(&b, tp_memory_trace_record(records, record), record->owner, !flow->is_peak_reported);
    }
    flow->blocks = b.blocks.data;
    flow->count = (uint32_t)b.blocks.count;
    for (uint32_t i = 0; i < flow->count; i++) {
        flow->never_freed_count += (flow->blocks[i].flags & TP_FLOW_NEVER_FREED) != 0;
        flow->allocated_before_count += (flow->blocks[i].flags & TP_FLOW_FROM_BEFORE) != 0;
    }
    flow->origin_ns = flow->start_ns;
    tp_memory_flow_place_addresses(flow, arena);
    if (flow->count == 0 && flow->without_address) {
        /* allocations without addresses do not give a peak, so that only a reported peak is kept */
        flow->peak_bytes = flow->is_peak_reported ? flow->peak_bytes : TP_NULL_INT;
        find_totals_over_time(flow, records, device, arena);
    }
}
