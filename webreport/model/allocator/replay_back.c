/* Goes back from the recorded end of a snapshot to the state before its first event, and compares a replayed end with
 * the recorded end: see replay_parts.h. */
#include "webreport/model/allocator/replay_parts.h"

/* A block that is live at some event, while the replay goes back. */
struct old_block {
    uint64_t size, requested; /* size: 0 if unknown, because the block is gone at the end */
    int64_t stream;
    uint32_t stack;
    bool is_pending; /* its free was requested but is not completed */
    bool is_at_end;  /* the block is live at the end */
    uint32_t pool;
};

struct way_back {
    struct tp_replay *replay;
    struct tp_segment_set segments;
    struct tp_address_map live; /* index in `blocks` of the block at each address */
    struct tp_vec blocks;       /* elements: struct old_block */
};

static struct old_block *find(const struct way_back *back, uint64_t address)
{
    const uint32_t *index = tp_address_map_find(&back->live, address);
    return index ? TP_AT(&back->blocks, struct old_block, *index) : NULL;
}

static void add(struct way_back *back, uint64_t address, const struct old_block *block)
{
    uint32_t *index = tp_address_map_find(&back->live, address);
    if (!index) {
        tp_address_map_put(&back->live, address, (uint32_t)back->blocks.count);
        tp_vec_push(&back->blocks);
        index = tp_address_map_find(&back->live, address);
    }
    *TP_AT(&back->blocks, struct old_block, *index) = *block;
}

/* Adds the segments and blocks at the end. */
static void add_end(struct way_back *back)
{
    const struct tp_snapshot *snapshot = back->replay->snapshot;
    size_t first, end;
    tp_snapshot_device_segments(snapshot, back->replay->device, &first, &end);
    for (size_t i = first; i < end; i++) {
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, i);
        tp_segment_set_add(&back->segments,
                           (struct tp_segment_range){segment->address, segment->size, segment->stream, segment->pool,
                                                     segment->is_expandable, segment->is_small});
        for (size_t k = 0; k < segment->block_count; k++) {
            const struct tp_snapshot_block *block = &segment->blocks[k];
            if (block->state != TP_BLOCK_FREE)
                add(back, block->address,
                    &(struct old_block){.size = block->size,
                                        .requested = block->requested,
                                        .stream = segment->stream,
                                        .stack = block->stack,
                                        .is_pending = block->state == TP_BLOCK_PENDING,
                                        .is_at_end = true});
        }
    }
    back->replay->end_reserved = back->segments.total_bytes;
}

/* A file may lack events of completed frees because no free has completed, and not because they were not recorded. Then
 * every requested free is pending at the end. */
static void find_unfinished_frees(struct way_back *back)
{
    struct tp_replay *replay = back->replay;
    bool all_pending = true;
    for (size_t i = 0; i < replay->event_count && all_pending; i++) {
        const struct tp_snapshot_event *event = &replay->events[i];
        const struct old_block *block = event->action == TP_ACTION_FREE_REQUESTED ? find(back, event->address) : NULL;
        all_pending = event->action != TP_ACTION_FREE_REQUESTED || (block && block->is_pending);
    }
    replay->has_completions |= all_pending;
}

static void undo_free(struct way_back *back, const struct tp_snapshot_event *event)
{
    struct old_block *block = find(back, event->address);
    bool is_completion = event->action == TP_ACTION_FREE_COMPLETED;
    if (block && !is_completion) {
        block->is_pending = false;
        return;
    }
    back->replay->inconsistencies[TP_INCONSISTENT_FREED_WHILE_LIVE] += block != NULL;
    add(back, event->address,
        &(struct old_block){.requested = event->size,
                            .stream = event->stream,
                            .stack = event->stack,
                            .is_pending = is_completion && back->replay->has_requests});
}

static void undo_segment(struct way_back *back, const struct tp_snapshot_event *event)
{
    static const struct {
        bool is_expandable, removes;
        enum tp_inconsistency wrong;
    } actions[] = {
        [TP_ACTION_SEGMENT_ALLOC] = {false, true, TP_INCONSISTENT_SEGMENT_ALLOC_WITHOUT_END},
        [TP_ACTION_SEGMENT_FREE] = {false, false, TP_INCONSISTENT_SEGMENT_FREE_WHILE_LIVE},
        [TP_ACTION_SEGMENT_MAP] = {true, true, TP_INCONSISTENT_SEGMENT_MAP_WITHOUT_END},
        [TP_ACTION_SEGMENT_UNMAP] = {true, false, TP_INCONSISTENT_SEGMENT_UNMAP_WHILE_LIVE},
    };
    bool is_expandable = actions[event->action].is_expandable, is_done;
    if (actions[event->action].removes) {
        is_done = tp_segment_set_cut(&back->segments, event->address, event->size, is_expandable);
    } else {
        struct tp_segment_range range = tp_replay_segment(back->replay, event, is_expandable);
        range.pool = event->pool ? event->pool - 1 : 0;
        is_done = tp_segment_set_add(&back->segments, range);
    }
    back->replay->inconsistencies[actions[event->action].wrong] += !is_done;
}

static void undo(struct way_back *back, const struct tp_snapshot_event *event)
{
    switch (event->action) {
    case TP_ACTION_ALLOC:
        if (!tp_address_map_remove(&back->live, event->address))
            back->replay->inconsistencies[TP_INCONSISTENT_ALLOC_WITHOUT_END]++;
        return;
    case TP_ACTION_FREE_REQUESTED:
    case TP_ACTION_FREE_COMPLETED:
        undo_free(back, event);
        return;
    case TP_ACTION_SEGMENT_ALLOC:
    case TP_ACTION_SEGMENT_FREE:
    case TP_ACTION_SEGMENT_MAP:
    case TP_ACTION_SEGMENT_UNMAP:
        undo_segment(back, event);
        return;
    default:
        return;
    }
}

/* Adds an older block. next: address of the next block; UINT64_MAX if none exists. */
static void add_start_block(struct way_back *back, uint64_t address, const struct old_block *old, uint64_t next)
{
    struct tp_replay *replay = back->replay;
    const struct tp_segment_range *segment = tp_segment_set_find(&back->segments, address);
    struct tp_allocator_block *block = tp_vec_push(&replay->blocks);
    bool overlaps = false;
    *block = (struct tp_allocator_block){.address = address,
                                         .size = old->size,
                                         .requested = old->requested,
                                         .stream = old->stream,
                                         .allocated = TP_BEFORE_EVENTS,
                                         .free_requested = old->is_pending ? TP_BEFORE_EVENTS : TP_NO_EVENT,
                                         .free_completed = TP_NO_EVENT,
                                         .stack = old->is_at_end ? old->stack : 0,
                                         .free_stack = old->is_at_end ? 0 : old->stack,
                                         .metadata = replay->snapshot->no_text,
                                         .category = replay->snapshot->no_text,
                                         .pool = segment ? segment->pool : 0,
                                         .is_estimated = !old->is_at_end};
    if (block->is_estimated)
        block->size = tp_replay_block_size(replay, segment, address, old->requested, next, &overlaps);
    replay->inconsistencies[TP_INCONSISTENT_OVERLAP_AT_START] += overlaps;
}

static void add_start_blocks(struct way_back *back)
{
    struct tp_address_entry entry, next;
    bool has_entry = tp_address_map_from(&back->live, 0, &entry);
    while (has_entry) {
        next = entry;
        has_entry = tp_address_entry_next(&next);
        add_start_block(back, tp_address_entry_address(&entry),
                        TP_AT(&back->blocks, struct old_block, tp_address_entry_value(&entry)),
                        has_entry ? tp_address_entry_address(&next) : UINT64_MAX);
        entry = next;
    }
    back->replay->start_count = back->replay->blocks.count;
}

void tp_replay_go_back(struct tp_replay *replay)
{
    struct way_back back = {.replay = replay, .blocks = TP_VEC(replay->arena, struct old_block)};
    tp_segment_set_init(&back.segments, replay->arena);
    tp_address_map_init(&back.live, replay->arena);
    add_end(&back);
    if (!replay->has_completions)
        find_unfinished_frees(&back);
    for (size_t i = replay->event_count; i-- > 0;)
        undo(&back, &replay->events[i]);
    tp_segment_set_copy(&replay->start_segments, &back.segments);
    add_start_blocks(&back);
}

/* ---- comparison of the ends ---- */

/* Returns whether the replayed block at the address of a recorded block equals it. */
static bool is_right(const struct tp_replay *replay, const struct tp_snapshot_block *recorded)
{
    const uint32_t *index = tp_address_map_find(&replay->state.live, recorded->address);
    const struct tp_allocator_block *block = index ? tp_replay_block(replay, *index) : NULL;
    return block && block->size == recorded->size && block->requested == recorded->requested &&
           (block->free_requested != TP_NO_EVENT) == (recorded->state == TP_BLOCK_PENDING);
}

void tp_replay_compare_end(struct tp_replay *replay)
{
    const struct tp_snapshot *snapshot = replay->snapshot;
    struct tp_address_map recorded;
    struct tp_address_entry entry;
    uint64_t wrong = 0;
    size_t first, end;
    tp_address_map_init(&recorded, replay->arena);
    tp_snapshot_device_segments(snapshot, replay->device, &first, &end);
    for (size_t i = first; i < end; i++) {
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, i);
        for (size_t k = 0; k < segment->block_count; k++) {
            const struct tp_snapshot_block *block = &segment->blocks[k];
            if (block->state == TP_BLOCK_FREE)
                continue;
            tp_address_map_put(&recorded, block->address, 0);
            if (!is_right(replay, block)) {
                replay->wrong_blocks++;
                replay->wrong_bytes += block->size;
            }
        }
    }
    bool has_entry = tp_address_map_from(&replay->state.live, 0, &entry);
    for (; has_entry; has_entry = tp_address_entry_next(&entry))
        if (!tp_address_map_find(&recorded, tp_address_entry_address(&entry))) {
            replay->wrong_blocks++;
            replay->wrong_bytes += tp_replay_block(replay, tp_address_entry_value(&entry))->size;
        }
    for (unsigned i = 0; i < TP_INCONSISTENT_COUNT; i++)
        wrong += replay->inconsistencies[i];
    replay->is_exact = !wrong && !replay->wrong_blocks && replay->state.segments.total_bytes == replay->end_reserved;
}
