/* Computes the segment of an event and the size of a block, for both directions of a replay: see replay_parts.h. */
#include "webreport/model/allocator/replay_parts.h"

const char *tp_inconsistency_text(enum tp_inconsistency kind)
{
    static const char *const names[TP_INCONSISTENT_COUNT] = {"alloc_without_end",       "free_missing",
                                                             "free_of_unknown",         "freed_while_live",
                                                             "outside_segments",        "overlap",
                                                             "overlap_at_start",        "segment_alloc_without_end",
                                                             "segment_free_of_unknown", "segment_free_while_live",
                                                             "segment_map_without_end", "segment_twice",
                                                             "segment_unmap_while_live"};
    return names[kind];
}

uint32_t tp_replay_pool(const struct tp_replay *replay, const struct tp_snapshot_event *event)
{
    if (event->pool)
        return event->pool - 1;
    const uint32_t *pool = tp_id_map_find(&replay->end_pools, event->address);
    return pool ? *pool : 0;
}

struct tp_segment_range tp_replay_segment(const struct tp_replay *replay, const struct tp_snapshot_event *event,
                                          bool is_expandable)
{
    return (struct tp_segment_range){.address = event->address,
                                     .size = event->size,
                                     .stream = event->stream,
                                     .pool = tp_replay_pool(replay, event),
                                     .is_expandable = is_expandable,
                                     .is_small = is_expandable ? event->size % TP_ALLOCATOR_LARGE_SEGMENT != 0
                                                               : event->size <= TP_ALLOCATOR_SMALL_SEGMENT};
}

uint64_t tp_replay_block_size(const struct tp_replay *replay, const struct tp_segment_range *segment, uint64_t address,
                              uint64_t requested, uint64_t next, bool *overlaps)
{
    const struct tp_snapshot_settings *settings = &replay->snapshot->settings;
    uint64_t size = tp_allocator_round(settings, requested);
    *overlaps = false;
    if (!segment)
        return size;
    uint64_t end = segment->address + segment->size;
    uint64_t room = (next < end ? next : end) - address;
    if (size > room) {
        *overlaps = true;
        return room;
    }
    struct tp_allocator_gap gap = {segment->is_small, segment->is_expandable};
    return tp_allocator_splits(settings, gap, size, room - size) ? size : room;
}
