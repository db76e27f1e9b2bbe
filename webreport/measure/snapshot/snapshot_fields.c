/* Defines the members of a memory snapshot's document in JSON: see snapshot_result.h. */
#include <stdio.h>

#include "webreport/measure/snapshot/snapshot_parts.h"

/* ---- texts that are computed when they are written ---- */

static void add_number(struct tp_vec *text, int64_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    tp_vec_add_text(text, number == TP_NULL_INT ? tp_str_of("null") : tp_str_of(digits));
}

static struct tp_json_value raw_value(const struct tp_vec *text)
{
    return tp_json_value_raw((struct tp_str){text->data, text->count});
}

static struct tp_json_value points_value(const struct tp_record *record)
{
    const struct tp_snapshot_device *device = record->at;
    struct tp_vec text = TP_VEC(record->arena, char);
    for (uint64_t i = 0; i < device->point_count; i++) {
        const struct tp_snapshot_moment *point = &device->points[i];
        const int64_t numbers[] = {point->index,
                                   point->time_us,
                                   (int64_t)point->allocated_bytes,
                                   (int64_t)point->active_bytes,
                                   (int64_t)point->reserved_bytes,
                                   (int64_t)point->requested_bytes};
        for (unsigned k = 0; k < 6; k++) {
            tp_vec_add_text(&text, tp_str_of(k ? "," : i ? ",[" : "[["));
            add_number(&text, numbers[k]);
        }
        tp_vec_add_text(&text, tp_str_of("]"));
    }
    tp_vec_add_text(&text, tp_str_of(device->point_count ? "]" : "[]"));
    return raw_value(&text);
}

static struct tp_json_value bytes_value(struct tp_arena *arena, const uint64_t *bytes, uint64_t count)
{
    struct tp_vec text = TP_VEC(arena, char);
    tp_vec_add_text(&text, tp_str_of("["));
    for (uint64_t i = 0; i < count; i++) {
        tp_vec_add_text(&text, tp_str_of(i ? "," : ""));
        add_number(&text, (int64_t)bytes[i]);
    }
    tp_vec_add_text(&text, tp_str_of("]"));
    return raw_value(&text);
}

static bool next_category(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_snapshot_device *device = record->at;
    if (*cursor >= device->category_count)
        return false;
    const struct tp_snapshot_category *category = &device->categories[(*cursor)++];
    item->key = category->name;
    item->value = bytes_value(device->context.arena, category->bytes, category->point_count);
    return true;
}

static bool next_action(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_snapshot_device *device = record->at;
    size_t action = (*cursor)++;
    if (action >= TP_ACTION_UNKNOWN)
        return false;
    uint64_t count = device->replay.action_counts[action];
    item->key = tp_str_of(tp_snapshot_action_text((enum tp_snapshot_action)action));
    item->value = count ? tp_json_value_int((int64_t)count) : tp_json_value_absent();
    return true;
}

static bool next_inconsistency(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_snapshot_device *device = record->at;
    size_t kind = (*cursor)++;
    if (kind >= TP_INCONSISTENT_COUNT)
        return false;
    uint64_t count = device->replay.inconsistencies[kind];
    item->key = tp_str_of(tp_inconsistency_text((enum tp_inconsistency)kind));
    item->value = count ? tp_json_value_int((int64_t)count) : tp_json_value_absent();
    return true;
}

static bool next_unrecorded(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_snapshot_window *window = record->at;
    if (*cursor >= window->unrecorded_count)
        return false;
    item->value = tp_json_value_text(window->unrecorded[(*cursor)++]);
    return true;
}

static struct tp_json_value estimated_blocks_value(const struct tp_record *record)
{
    const struct tp_snapshot_device *device = record->at;
    int64_t count = 0;
    for (uint32_t i = 0; i < device->replay.start_count; i++)
        count += tp_replay_block(&device->replay, i)->is_estimated;
    return tp_json_value_int(count);
}

static struct tp_json_value estimated_bytes_value(const struct tp_record *record)
{
    const struct tp_snapshot_device *device = record->at;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < device->replay.start_count; i++)
        if (tp_replay_block(&device->replay, i)->is_estimated)
            bytes += tp_replay_block(&device->replay, i)->size;
    return tp_json_value_int((int64_t)bytes);
}

static struct tp_json_value actions_value(const struct tp_record *record)
{
    return tp_json_value_map(next_action, *record);
}

/* ---- parts of a device ---- */

#define D struct tp_snapshot_device
static const struct tp_json_field time_rows[] = {
    {"recorded", TP_PLAIN(D, has_time), TP_DEFINITION("true if every event has a time")},
    {"first_us", TP_PLAIN(D, first_us), TP_DEFINITION("Unix time of the first event, µs; null if unknown")},
    {"last_us", TP_PLAIN(D, last_us), TP_DEFINITION("Unix time of the last event, µs; null if unknown")},
    {"backwards", TP_PLAIN(D, backwards),
     TP_DEFINITION("number of events whose time is before that of the event before")},
};
static const struct tp_fields time_fields = TP_FIELDS("Times of the events", time_rows);

static const struct tp_json_field replay_rows[] = {
    {"exact", TP_PLAIN(D, replay.is_exact),
     TP_DEFINITION("true if the replay ends in the recorded end in every block, and no event contradicts another one")},
    {"wrong_blocks", TP_PLAIN(D, replay.wrong_blocks),
     TP_DEFINITION("number of blocks that differ between the replayed and the recorded end")},
    {"wrong_bytes", TP_PLAIN(D, replay.wrong_bytes), TP_DEFINITION("bytes of these blocks")},
    {"inconsistencies", TP_MAP(next_inconsistency, NULL), TP_DEFINITION("number of contradictions by kind")},
    {"estimated_start_blocks", TP_COMPUTED(TP_AS_INT, estimated_blocks_value),
     TP_DEFINITION("number of older blocks that are gone at the end, so that their size follows from the request")},
    {"estimated_start_bytes", TP_COMPUTED(TP_AS_INT, estimated_bytes_value), TP_DEFINITION("bytes of these blocks")},
};
static const struct tp_fields replay_fields = TP_FIELDS("Replay of the events", replay_rows);

static const struct tp_json_field start_rows[] = {
    {"allocated_bytes", TP_PLAIN(D, replay.start.allocated), TP_DEFINITION("allocated bytes before the first event")},
    {"active_bytes", TP_PLAIN(D, replay.start.active), TP_DEFINITION("active bytes before the first event")},
    {"reserved_bytes", TP_PLAIN(D, replay.start.reserved), TP_DEFINITION("reserved bytes before the first event")},
    {"requested_bytes", TP_PLAIN(D, replay.start.requested), TP_DEFINITION("requested bytes before the first event")},
    {"blocks", TP_PLAIN(D, window.older_blocks), TP_DEFINITION("number of blocks before the first event")},
};
static const struct tp_fields start_fields = TP_FIELDS("Memory before the first event", start_rows);
#undef D

#define F struct tp_snapshot_large_block
static const struct tp_json_field large_rows[] = {
    {"address", TP_PLAIN(F, address), TP_DEFINITION("address of the block")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("size of the block")},
    {"requested_bytes", TP_PLAIN(F, requested_bytes), TP_DEFINITION("bytes that the program requested")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site, of the allocation")},
    {"category", TP_PLAIN(F, category), TP_DEFINITION("purpose of the block")},
    {"allocated_index", TP_PLAIN(F, allocated_index), TP_DEFINITION("event of the allocation; -1: an older block")},
    {"freed_index", TP_PLAIN(F, freed_index), TP_DEFINITION("event of the free; null if the block was not freed")},
};
static const struct tp_fields large_fields = TP_FIELDS("A large block at the peak", large_rows);
#undef F

#define F struct tp_snapshot_peak
static const struct tp_json_field peak_rows[] = {
    {"allocated_bytes", TP_PLAIN(F, at.allocated_bytes),
     TP_DEFINITION("largest allocated bytes: block sizes of the blocks that the program uses")},
    {"index", TP_PLAIN(F, at.index),
     TP_DEFINITION("first event after which this amount was allocated; -1: before all")},
    {"time_us", TP_PLAIN(F, at.time_us), TP_DEFINITION("Unix time of this event, µs")},
    {"active_bytes", TP_PLAIN(F, at.active_bytes),
     TP_DEFINITION("allocated bytes, and blocks whose free waits for another stream, at that moment")},
    {"reserved_bytes", TP_PLAIN(F, at.reserved_bytes), TP_DEFINITION("bytes of segments at that moment")},
    {"requested_bytes", TP_PLAIN(F, at.requested_bytes),
     TP_DEFINITION("requested bytes of the allocated blocks at that moment")},
    {"rounding_bytes", TP_PLAIN(F, rounding_bytes), TP_DEFINITION("allocated minus requested bytes")},
    {"pending_free_bytes", TP_PLAIN(F, pending_free_bytes), TP_DEFINITION("active minus allocated bytes")},
    {"fragmentation", TP_RECORD(F, fragmentation, &tp_fragmentation_fields),
     TP_DEFINITION("free memory at that moment")},
    {"live_by", TP_RECORD(F, live_by, &tp_live_by_fields), TP_DEFINITION("live blocks at that moment")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site, of the event that reached the peak")},
    {"largest", TP_RECORDS(F, largest, largest_count, &large_fields), TP_DEFINITION("the ten largest live blocks")},
};
static const struct tp_fields peak_fields = TP_FIELDS("Peak of a device", peak_rows);
#undef F

#define F struct tp_snapshot_moment
static const struct tp_json_field reserved_rows[] = {
    {"reserved_bytes", TP_PLAIN(F, reserved_bytes), TP_DEFINITION("largest bytes of segments")},
    {"index", TP_PLAIN(F, index), TP_DEFINITION("first event after which they had this size; -1: before all events")},
    {"time_us", TP_PLAIN(F, time_us), TP_DEFINITION("Unix time of this event, µs")},
};
static const struct tp_fields reserved_fields = TP_FIELDS("Largest reserved memory", reserved_rows);
#undef F

#define F struct tp_snapshot_end
static const struct tp_json_field end_rows[] = {
    {"reserved_bytes", TP_PLAIN(F, reserved_bytes), TP_DEFINITION("bytes of segments in the file")},
    {"allocated_bytes", TP_PLAIN(F, allocated_bytes), TP_DEFINITION("bytes of blocks that the program uses")},
    {"active_bytes", TP_PLAIN(F, active_bytes),
     TP_DEFINITION("the same, and blocks whose free waits for another stream")},
    {"requested_bytes", TP_PLAIN(F, requested_bytes), TP_DEFINITION("requested bytes of the allocated blocks")},
    {"pending_free_bytes", TP_PLAIN(F, pending_free_bytes), TP_DEFINITION("active minus allocated bytes")},
    {"rounding_bytes", TP_PLAIN(F, rounding_bytes), TP_DEFINITION("allocated minus requested bytes")},
    {"fragmentation", TP_RECORD(F, fragmentation, &tp_fragmentation_fields), TP_DEFINITION("free memory at the end")},
    {"pinned", TP_RECORD(F, pinned, &tp_pinned_fields), TP_DEFINITION("segments that few live bytes keep")},
    {"live_by", TP_RECORD(F, live_by, &tp_live_by_fields), TP_DEFINITION("live blocks at the end")},
};
static const struct tp_fields end_fields = TP_FIELDS("End of a snapshot", end_rows);
#undef F

#define F struct tp_snapshot_oom
static const struct tp_json_field oom_rows[] = {
    {"index", TP_PLAIN(F, index), TP_DEFINITION("number of the event")},
    {"time_us", TP_PLAIN(F, time_us), TP_DEFINITION("Unix time of the event, µs; null if unknown")},
    {"requested_bytes", TP_PLAIN(F, requested_bytes), TP_DEFINITION("rounded size of the block that was requested")},
    {"segment_bytes", TP_PLAIN(F, segment_bytes), TP_DEFINITION("bytes that the allocator asked the device for")},
    {"stream", TP_PLAIN(F, stream), TP_DEFINITION("CUDA stream of the request")},
    {"device_free_bytes", TP_PLAIN(F, device_free_bytes), TP_DEFINITION("free memory of the device")},
    {"kind", TP_WORD(F, kind, tp_oom_kind_text),
     TP_DEFINITION("limit: the device had enough free memory; fragmented: free memory of the device and of the cache "
                   "together is enough; full: it is not")},
    {"allocated_bytes", TP_PLAIN(F, allocated_bytes), TP_DEFINITION("allocated bytes at the event")},
    {"active_bytes", TP_PLAIN(F, active_bytes), TP_DEFINITION("active bytes at the event")},
    {"reserved_bytes", TP_PLAIN(F, reserved_bytes), TP_DEFINITION("reserved bytes at the event")},
    {"requested_live_bytes", TP_PLAIN(F, requested_live_bytes), TP_DEFINITION("requested bytes of live blocks")},
    {"known_capacity_bytes", TP_PLAIN(F, known_capacity_bytes),
     TP_DEFINITION("reserved bytes and free memory of the device; other processes may use more")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site, of the request")},
    {"stack", TP_PLAIN(F, stack), TP_DEFINITION("frames of the request, outermost first")},
    {"free", TP_RECORD(F, free, &tp_free_by_use_fields), TP_DEFINITION("why free memory could not serve the request")},
    {"fragmentation", TP_RECORD(F, fragmentation, &tp_fragmentation_fields), TP_DEFINITION("free memory at the event")},
    {"short_bytes", TP_PLAIN(F, short_bytes), TP_DEFINITION("segment_bytes minus device_free_bytes, or 0")},
    {"pinned", TP_RECORD(F, pinned, &tp_pinned_fields), TP_DEFINITION("segments that few live bytes keep")},
    {"to_go", TP_RECORD(F, to_go, &tp_to_go_fields), TP_DEFINITION("what would have to be freed")},
    {"live_by", TP_RECORD(F, live_by, &tp_live_by_fields), TP_DEFINITION("live blocks at the event")},
};
static const struct tp_fields oom_fields = TP_FIELDS("An out-of-memory event", oom_rows);
#undef F

#define F struct tp_snapshot_window
static const struct tp_json_field window_rows[] = {
    {"cut", TP_WORD(F, cut, tp_window_cut_text),
     TP_DEFINITION(
         "no history: the file has no events; state only: it has stacks, but no events; yes: older events are "
         "missing; unknown: recording began after some allocations; no sign: nothing is missing")},
    {"older_blocks", TP_PLAIN(F, older_blocks), TP_DEFINITION("number of blocks that are older than the events")},
    {"older_bytes", TP_PLAIN(F, older_bytes), TP_DEFINITION("bytes of these blocks")},
    {"older_freed_blocks", TP_PLAIN(F, older_freed_blocks), TP_DEFINITION("those of them that were freed")},
    {"older_live_blocks", TP_PLAIN(F, older_live_blocks), TP_DEFINITION("those of them that are live at the end")},
    {"older_live_bytes", TP_PLAIN(F, older_live_bytes), TP_DEFINITION("bytes of these live blocks")},
    {"lost_alloc_blocks", TP_PLAIN(F, lost_alloc_blocks),
     TP_DEFINITION("live blocks that have a stack, but no allocation among the events")},
    {"lost_alloc_bytes", TP_PLAIN(F, lost_alloc_bytes), TP_DEFINITION("bytes of these blocks")},
    {"unrecorded", TP_LIST(next_unrecorded, NULL), TP_DEFINITION("kinds of events that the file lacks")},
};
static const struct tp_fields window_fields = TP_FIELDS("Window of the events", window_rows);
#undef F

#define F struct tp_snapshot_boundary
static const struct tp_json_field boundary_rows[] = {
    {"index", TP_PLAIN(F, index), TP_DEFINITION("last event of the step")},
    {"allocated_bytes", TP_PLAIN(F, allocated_bytes), TP_DEFINITION("allocated bytes after this event")},
    {"name", TP_PLAIN(F, name), TP_DEFINITION("name of the step")},
    {"peak_bytes", TP_PLAIN(F, peak_bytes), TP_DEFINITION("largest allocated bytes in the step")},
    {"allocs", TP_PLAIN(F, allocs), TP_DEFINITION("number of allocations in the step")},
    {"segment_allocs", TP_PLAIN(F, segment_allocs), TP_DEFINITION("number of new segments in the step")},
};
static const struct tp_fields boundary_fields = TP_FIELDS("The end of a step", boundary_rows);
#undef F

#define F struct tp_snapshot_growing
static const struct tp_json_field growing_rows[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("line, or call site")},
    {"live_bytes", TP_ARRAY(F, live_bytes, live_count), TP_DEFINITION("its live bytes at each boundary")},
    {"bytes_per_step", TP_PLAIN(F, bytes_per_step), TP_DEFINITION("growth per step over the last four boundaries")},
    {"blocks", TP_PLAIN(F, blocks), TP_DEFINITION("number of its live blocks at the last boundary")},
};
static const struct tp_fields growing_fields = TP_FIELDS("A growing line", growing_rows);
#undef F

#define F struct tp_snapshot_growth
static const struct tp_json_field growth_rows[] = {
    {"by", TP_PLAIN(F, by), .is_optional = true,
     TP_DEFINITION(
         "how the steps were found: ProfilerStep, Optimizer.step, user_metadata or valleys; null: none found")},
    {"boundaries", TP_RECORDS(F, boundaries, boundary_count, &boundary_fields), TP_DEFINITION("the ends of the steps")},
    {"growing", TP_RECORDS(F, growing, growing_count, &growing_fields),
     TP_DEFINITION("lines whose live bytes rise strictly over the last four boundaries")},
    {"bytes_per_step", TP_PLAIN(F, bytes_per_step), TP_DEFINITION("growth of all allocated bytes per step")},
    {"floor_rises", TP_PLAIN(F, floor_rises), TP_ONLY_IF(F, boundary_count),
     TP_DEFINITION("true if the allocated bytes rise strictly over the last four boundaries")},
};
static const struct tp_fields growth_fields = TP_FIELDS("Steps and growth", growth_rows);
#undef F

#define F struct tp_snapshot_release
static const struct tp_json_field release_rows[] = {
    {"index", TP_PLAIN(F, index), TP_DEFINITION("first event")},
    {"kind", TP_WORD(F, kind, tp_release_kind_text),
     TP_DEFINITION("empty_cache: the program called it; retry: a request followed that the cache could not serve; "
                   "release: any other reason")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("bytes that were given back")},
    {"line", TP_PLAIN(F, line), TP_DEFINITION("line, or call site")},
};
static const struct tp_fields release_fields = TP_FIELDS("Segments given back to the device", release_rows);
#undef F

#define F struct tp_snapshot_churn_row
static const struct tp_json_field churn_row_rows[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("line, or call site")},
    {"calls", TP_PLAIN(F, calls), TP_DEFINITION("number of allocations")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("requested bytes of these allocations")},
    {"freed", TP_PLAIN(F, freed), TP_DEFINITION("number of these blocks that were freed")},
    {"mean_life_events", TP_PLAIN(F, mean_life_events),
     TP_DEFINITION("mean number of events from allocation to free; null if none was freed")},
};
static const struct tp_fields churn_row_fields = TP_FIELDS("Allocations of a line", churn_row_rows);
#undef F

#define F struct tp_snapshot_churn
static const struct tp_json_field churn_rows[] = {
    {"alloc_calls", TP_PLAIN(F, alloc_calls), TP_DEFINITION("number of allocations")},
    {"alloc_bytes", TP_PLAIN(F, alloc_bytes), TP_DEFINITION("requested bytes of all allocations")},
    {"short_lived_calls", TP_PLAIN(F, short_lived_calls),
     TP_DEFINITION("number of allocations that were freed within 16 events")},
    {"short_lived_bytes", TP_PLAIN(F, short_lived_bytes), TP_DEFINITION("requested bytes of these allocations")},
    {"segment_allocs", TP_PLAIN(F, segment_allocs), TP_DEFINITION("number of new segments, or mapped ranges")},
    {"segment_alloc_bytes", TP_PLAIN(F, segment_alloc_bytes), TP_DEFINITION("bytes of these segments")},
    {"segment_frees", TP_PLAIN(F, segment_frees), TP_DEFINITION("number of segments, or ranges, given back")},
    {"late_segment_allocs", TP_PLAIN(F, late_segment_allocs),
     TP_DEFINITION("number of new segments of the default pool in the second half of the steps")},
    {"late_segment_bytes", TP_PLAIN(F, late_segment_bytes), TP_DEFINITION("bytes of these segments")},
    {"retries", TP_PLAIN(F, retries), TP_DEFINITION("how often the allocator emptied its cache to serve a request")},
    {"retry_freed_bytes", TP_PLAIN(F, retry_freed_bytes), TP_DEFINITION("bytes given back by these retries")},
    {"empty_caches", TP_PLAIN(F, empty_caches), TP_DEFINITION("number of calls of torch.cuda.empty_cache")},
    {"releases", TP_RECORDS(F, releases, release_count, &release_fields),
     TP_DEFINITION("the first 30 times that segments were given back")},
    {"rows_total", TP_PLAIN(F, rows_total), TP_DEFINITION("number of lines that allocate")},
    {"rows", TP_RECORDS(F, rows, row_count, &churn_row_fields), TP_DEFINITION("the 30 lines with the most bytes")},
};
static const struct tp_fields churn_fields = TP_FIELDS("Allocations and segments", churn_rows);
#undef F

#define F struct tp_snapshot_finding
static const struct tp_json_field finding_rows[] = {
    {"id", TP_WORD(F, id, tp_snapshot_finding_text), TP_DEFINITION("stable name of the problem")},
    {"severity", TP_WORD(F, severity, tp_snapshot_severity_text), TP_DEFINITION("high, medium, low or info")},
    {"gain_bytes", TP_PLAIN(F, gain_bytes), TP_DEFINITION("bytes that the action saves, at most")},
    {"text", TP_PLAIN(F, text), TP_DEFINITION("the problem, with its numbers")},
    {"action", TP_PLAIN(F, action), TP_DEFINITION("what to do")},
    {"kind", TP_PLAIN(F, kind), TP_ONLY_IF(F, has_kind), TP_DEFINITION("kind of the out-of-memory event")},
    {"count", TP_PLAIN(F, count), TP_ONLY_IF(F, has_count), TP_DEFINITION("number of times")},
    {"line", TP_PLAIN(F, line), TP_ONLY_IF(F, has_line), TP_DEFINITION("line that causes the problem")},
    {"bytes", TP_PLAIN(F, bytes), TP_ONLY_IF(F, has_bytes), TP_DEFINITION("bytes that the problem is about")},
};
static const struct tp_fields finding_fields = TP_FIELDS("A finding in a memory snapshot", finding_rows);
#undef F

#define D struct tp_snapshot_device
static const struct tp_json_field leak_rows[] = {
    {"older_live", TP_RECORD(D, older_live, &tp_live_table_fields),
     TP_DEFINITION("blocks that are older than the events and live at the end, by line")},
    {"growing_bytes", TP_PLAIN(D, leak_bytes), TP_DEFINITION("bytes of blocks of growing lines at the end")},
    {"growing_blocks", TP_PLAIN(D, leak_blocks), TP_DEFINITION("number of these blocks")},
};
static const struct tp_fields leak_fields = TP_FIELDS("Blocks that stay", leak_rows);

static const struct tp_json_field device_rows[] = {
    {"device", TP_PLAIN(D, device), TP_DEFINITION("number of the device")},
    {"headline", TP_PLAIN(D, headline), TP_DEFINITION("the most important fact as a sentence")},
    {"events", TP_PLAIN(D, replay.event_count), TP_DEFINITION("number of events")},
    {"actions", TP_COMPUTED(TP_AS_MAP, actions_value), TP_DEFINITION("number of events by action")},
    {"unknown_actions", TP_PLAIN(D, replay.action_counts[TP_ACTION_UNKNOWN]),
     TP_ONLY_IF(D, replay.action_counts[TP_ACTION_UNKNOWN]), TP_DEFINITION("number of events of unknown actions")},
    {"time", TP_PART(&time_fields), TP_DEFINITION("times of the events")},
    {"replay", TP_PART(&replay_fields), TP_DEFINITION("whether the replay equals the recorded end")},
    {"window", TP_RECORD(D, window, &window_fields), TP_DEFINITION("what the events lack")},
    {"start", TP_PART(&start_fields), TP_DEFINITION("memory before the first event")},
    {"peak", TP_RECORD(D, peak, &peak_fields), TP_DEFINITION("moment of the largest allocated bytes")},
    {"peak_reserved", TP_RECORD(D, peak_reserved, &reserved_fields),
     TP_DEFINITION("moment of the largest reserved bytes")},
    {"end", TP_RECORD(D, end, &end_fields), TP_DEFINITION("the recorded end")},
    {"curve_points_up_to_1024", TP_COMPUTED(TP_AS_JSON, points_value),
     TP_DEFINITION(
         "points of the curve: index, time_us, allocated, active, reserved and requested bytes after the event")},
    {"curve_by_category", TP_MAP(next_category, NULL),
     TP_DEFINITION("allocated bytes of each category at the points of the curve")},
    {"ooms", TP_RECORDS(D, ooms, oom_count, &oom_fields),
     TP_DEFINITION("out-of-memory events; of more than 64, the first 63 and the last one")},
    {"churn", TP_RECORD(D, churn, &churn_fields), TP_DEFINITION("allocations and segments")},
    {"growth", TP_RECORD(D, growth, &growth_fields), TP_DEFINITION("steps, and lines that grow")},
    {"leaks", TP_PART(&leak_fields), TP_DEFINITION("blocks that stay")},
    {"findings", TP_RECORDS(D, findings, finding_count, &finding_fields), TP_DEFINITION("problems, gravest first")},
};
static const struct tp_fields device_fields = TP_FIELDS("A device of a memory snapshot", device_rows);
#undef D

/* ---- the document ---- */

static struct tp_json_value format_value(const struct tp_record *record)
{
    (void)record; /* the name of the format is constant */
    return tp_json_value_text("tracepress.memory_snapshot/1");
}

static struct tp_json_value container_value(const struct tp_record *record)
{
    static const char *const names[] = {"pickle", "gzip", "html"};
    const struct tp_snapshot_result *result = record->at;
    return tp_json_value_text(names[result->snapshot->container]);
}

static struct tp_json_value protocol_value(const struct tp_record *record)
{
    const struct tp_snapshot_result *result = record->at;
    return tp_json_value_int(result->snapshot->protocol);
}

static struct tp_json_value writer_value(const struct tp_record *record)
{
    const struct tp_snapshot_result *result = record->at;
    return tp_json_value_text(result->snapshot->protocol == 2 ? "C++" : "Python");
}

static struct tp_json_value settings_value(const struct tp_record *record)
{
    const struct tp_snapshot_result *result = record->at;
    return tp_json_value_raw(tp_str_of(result->snapshot->settings.json));
}

static struct tp_json_value annotations_value(const struct tp_record *record)
{
    const struct tp_snapshot_result *result = record->at;
    return tp_json_value_int((int64_t)result->snapshot->annotations.count);
}

#define F struct tp_snapshot_result
static const struct tp_json_field result_rows[] = {
    {"format", TP_COMPUTED(TP_AS_TEXT, format_value), TP_DEFINITION("tracepress.memory_snapshot/1")},
    {"file", TP_PLAIN(F, file), TP_DEFINITION("name of the file")},
    {"container", TP_COMPUTED(TP_AS_TEXT, container_value),
     TP_DEFINITION("pickle, gzip (of a pickle) or html (a page of torch.cuda._memory_viz)")},
    {"protocol", TP_COMPUTED(TP_AS_INT, protocol_value), TP_DEFINITION("protocol of the pickle")},
    {"writer", TP_COMPUTED(TP_AS_TEXT, writer_value), TP_DEFINITION("Python or C++")},
    {"settings", TP_COMPUTED(TP_AS_JSON, settings_value), TP_DEFINITION("settings of the allocator")},
    {"annotations", TP_COMPUTED(TP_AS_INT, annotations_value), TP_DEFINITION("number of starts and ends of ranges")},
    {"devices", TP_RECORDS(F, devices, device_count, &device_fields), TP_DEFINITION("the devices")},
};
const struct tp_fields tp_snapshot_result_fields = TP_FIELDS("A memory snapshot", result_rows);
#undef F
