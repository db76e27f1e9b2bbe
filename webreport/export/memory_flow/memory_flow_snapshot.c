/* Lays out the blocks and segments of one device of a memory snapshot, from its replay. See memory_flow.h. */
#include "webreport/export/memory_flow/memory_flow.h"

#include <string.h>

#include "webreport/measure/snapshot/snapshot_result.h"
#include "writer/base/saturate.h"

struct building {
    struct tp_memory_flow *flow;
    const struct tp_snapshot_device *device;
    int64_t *at;                /* position of each event on the axis: its number, or ns since the first event */
    int64_t begin, end;         /* positions of the start and the end of the recording */
    struct tp_vec blocks;       /* elements: struct tp_flow_block */
    struct tp_vec segments;     /* elements: struct tp_flow_segment */
    struct tp_address_map open; /* index in `segments` of the segment that begins at each address and is not released */
};

/* ---- axis ---- */

static bool is_event_number(const char *text)
{
    return text && !text[strspn(text, "0123456789")];
}

/* Fills the positions of the events. Times never go back, because a few events have times before those of earlier
 * events. */
static void place_events(struct building *b, struct tp_arena *arena)
{
    const struct tp_replay *replay = &b->device->replay;
    int64_t latest = 0;
    b->at = tp_arena_array(arena, replay->event_count, sizeof *b->at);
    for (uint64_t i = 0; i < replay->event_count; i++) {
        int64_t ns = tp_sat_mul(tp_sat_sub(replay->events[i].time_us, replay->events[0].time_us), 1000);
        latest = ns > latest ? ns : latest;
        b->at[i] = b->flow->is_by_event ? (int64_t)i : latest;
    }
    b->end = b->flow->is_by_event ? (int64_t)replay->event_count : latest;
}

static int64_t position(const struct building *b, int32_t event)
{
    return event == TP_NO_EVENT ? b->end : event < 0 ? b->begin : b->at[event];
}

/* Returns the position of a limit that is a number of an event or a time since the first event. */
static int64_t limit_position(const struct building *b, const char *text, int64_t ns)
{
    enum { NS_PER_MS = 1000000 }; /* tp_filter_parse reads a number without a unit as ms */
    uint64_t count = b->device->replay.event_count, i = 0;
    if (is_event_number(text) && b->flow->is_by_event)
        return ns / NS_PER_MS;
    if (!b->flow->is_by_event)
        return ns;
    while (i < count &&
           tp_sat_mul(tp_sat_sub(b->device->replay.events[i].time_us, b->device->replay.events[0].time_us), 1000) < ns)
        i++;
    return (int64_t)i;
}

static int choose_range(struct building *b, const struct tp_filter *filter, struct tp_error *err)
{
    struct tp_memory_flow *flow = b->flow;
    const struct tp_filter_options *o = &filter->options;
    flow->start_ns = o->from ? limit_position(b, o->from, filter->from_ns) : b->begin;
    flow->end_ns = o->until ? limit_position(b, o->until, filter->until_ns) : b->end;
    flow->end_ns = flow->end_ns < b->end ? flow->end_ns : b->end;
    if (flow->start_ns >= flow->end_ns && (o->from || o->until))
        return tp_error_set(err, TP_ENOTFOUND, 0, "--from, --until: no event is in this range");
    return TP_OK;
}

/* ---- segments ---- */

static void open_segment(struct building *b, const struct tp_segment_range *range, int64_t at)
{
    uint64_t size = range->size <= INT64_MAX ? range->size : INT64_MAX;
    tp_address_map_put(&b->open, range->address, (uint32_t)b->segments.count);
    *(struct tp_flow_segment *)tp_vec_push(&b->segments) =
        (struct tp_flow_segment){at, b->end, (int64_t)range->address, (int64_t)size, range->stream};
}

/* Ends the segments in a range of addresses. The rest of a segment that is only partly in the range remains. */
static void close_segments(struct building *b, uint64_t address, uint64_t size, int64_t at)
{
    uint64_t end = address + size < address ? UINT64_MAX : address + size;
    struct tp_address_entry entry;
    while (tp_address_map_before(&b->open, end, &entry)) {
        uint64_t first = tp_address_entry_address(&entry);
        struct tp_flow_segment segment = *TP_AT(&b->segments, struct tp_flow_segment, tp_address_entry_value(&entry));
        uint64_t past = first + (uint64_t)segment.bytes;
        if (past <= address)
            return;
        TP_AT(&b->segments, struct tp_flow_segment, tp_address_entry_value(&entry))->end_ns = at;
        tp_address_map_remove(&b->open, first);
        struct tp_segment_range rest = {.address = first, .size = address - first, .stream = segment.stream};
        if (first < address)
            open_segment(b, &rest, at);
        rest = (struct tp_segment_range){.address = end, .size = past - end, .stream = segment.stream};
        if (past > end)
            open_segment(b, &rest, at);
    }
}

static void find_segments(struct building *b)
{
    const struct tp_replay *replay = &b->device->replay;
    struct tp_address_entry entry;
    bool has_entry = tp_address_map_from(&replay->start_segments.starts, 0, &entry);
    for (; has_entry; has_entry = tp_address_entry_next(&entry))
        open_segment(b, TP_AT(&replay->start_segments.ranges, struct tp_segment_range, tp_address_entry_value(&entry)),
                     b->begin);
    for (uint64_t i = 0; i < replay->event_count; i++) {
        const struct tp_snapshot_event *event = &replay->events[i];
        struct tp_segment_range range = {.address = event->address, .size = event->size, .stream = event->stream};
        if (event->action == TP_ACTION_SEGMENT_ALLOC || event->action == TP_ACTION_SEGMENT_MAP) {
            close_segments(b, range.address, range.size, b->at[i]);
            open_segment(b, &range, b->at[i]);
        } else if (event->action == TP_ACTION_SEGMENT_FREE || event->action == TP_ACTION_SEGMENT_UNMAP) {
            close_segments(b, range.address, range.size, b->at[i]);
        }
    }
}

/* Removes segments outside of the range of the picture. */
static void keep_segments_in_range(struct building *b)
{
    struct tp_memory_flow *flow = b->flow;
    flow->segments = b->segments.data;
    for (size_t i = 0; i < b->segments.count; i++)
        if (flow->segments[i].start_ns < flow->end_ns && flow->segments[i].end_ns > flow->start_ns)
            flow->segments[flow->segment_count++] = flow->segments[i];
}

/* ---- blocks ---- */

static void find_blocks(struct building *b)
{
    const struct tp_replay *replay = &b->device->replay;
    struct tp_memory_flow *flow = b->flow;
    for (uint32_t i = 0; i < replay->blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        int64_t start = position(b, block->allocated), end = position(b, block->free_completed);
        bool is_freed = block->free_requested != TP_NO_EVENT, is_older = block->allocated < 0;
        if (start >= flow->end_ns || end <= flow->start_ns || !block->size || block->size > INT64_MAX)
            continue;
        flow->never_freed_count += !is_freed;
        flow->allocated_before_count += is_older;
        *(struct tp_flow_block *)tp_vec_push(&b->blocks) = (struct tp_flow_block){
            .start_ns = start,
            .end_ns = end,
            .address = (int64_t)block->address,
            .bytes = (int64_t)block->size,
            .owner = i,
            .flags = (is_freed ? 0u : TP_FLOW_NEVER_FREED) | (is_older ? TP_FLOW_FROM_BEFORE : 0u)};
    }
    flow->blocks = b->blocks.data;
    flow->count = (uint32_t)b->blocks.count;
}

/* Finds the largest allocated bytes within the range of the picture. */
static void find_peak(struct building *b)
{
    const struct tp_replay *replay = &b->device->replay;
    struct tp_memory_flow *flow = b->flow;
    flow->is_peak_reported = true;
    flow->peak_bytes = flow->start_ns <= b->begin ? (int64_t)replay->start.allocated : TP_NULL_INT;
    flow->peak_at_ns = b->begin;
    for (uint64_t i = 0; i < replay->event_count; i++)
        if (b->at[i] >= flow->start_ns && b->at[i] <= flow->end_ns &&
            (int64_t)replay->curve[i].allocated > flow->peak_bytes) {
            flow->peak_bytes = (int64_t)replay->curve[i].allocated;
            flow->peak_at_ns = b->at[i];
        }
}

int tp_memory_flow_build_snapshot(struct tp_memory_flow *flow, const struct tp_snapshot_device *device,
                                  const struct tp_filter *filter, struct tp_arena *arena, struct tp_error *err)
{
    struct building b = {.flow = flow,
                         .device = device,
                         .blocks = TP_VEC(arena, struct tp_flow_block),
                         .segments = TP_VEC(arena, struct tp_flow_segment)};
    const struct tp_filter_options *o = &filter->options;
    bool has_time_limit = (o->from && !is_event_number(o->from)) || (o->until && !is_event_number(o->until));
    *flow = (struct tp_memory_flow){.snapshot = device};
    if (has_time_limit && !device->has_time)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "the events have no times; give --from and --until as numbers of events");
    flow->is_by_event =
        !device->has_time || is_event_number(o->from ? o->from : "-") || is_event_number(o->until ? o->until : "-");
    place_events(&b, arena);
    int code = choose_range(&b, filter, err);
    if (code < 0)
        return code;
    tp_address_map_init(&b.open, arena);
    find_segments(&b);
    keep_segments_in_range(&b);
    find_blocks(&b);
    find_peak(&b);
    tp_memory_flow_place_addresses(flow, arena);
    return TP_OK;
}
