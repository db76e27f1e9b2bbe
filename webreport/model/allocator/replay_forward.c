/* Replays the events forward from the state before the first event: see replay_parts.h. */
#include "webreport/model/allocator/replay_parts.h"

struct forward {
    struct tp_replay *replay;
    struct tp_allocator_state *state;
    tp_replay_oom *on_oom; /* may be NULL */
    void *context;
};

static void count(struct forward *f, enum tp_inconsistency kind)
{
    f->replay->inconsistencies[kind]++;
}

static struct tp_allocator_block *find(const struct forward *f, uint64_t address)
{
    const uint32_t *index = tp_address_map_find(&f->state->live, address);
    return index ? tp_replay_block(f->replay, *index) : NULL;
}

/* Sets the state to the one before the first event. */
static void begin(struct forward *f)
{
    struct tp_replay *replay = f->replay;
    struct tp_allocator_state *state = f->state;
    tp_segment_set_copy(&state->segments, &replay->start_segments);
    for (uint32_t i = 0; i < replay->start_count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        if (block->free_requested == TP_NO_EVENT) {
            state->amounts.allocated += block->size;
            state->amounts.requested += block->requested;
        }
        state->amounts.active += block->size;
        tp_address_map_put(&state->live, block->address, i);
    }
    state->amounts.reserved = state->segments.total_bytes;
    replay->start = state->amounts;
}

/* ---- blocks ---- */

static void request_free(struct forward *f, struct tp_allocator_block *block, int32_t index)
{
    if (block->free_requested != TP_NO_EVENT)
        return;
    f->state->amounts.allocated -= block->size;
    f->state->amounts.requested -= block->requested;
    block->free_requested = index;
}

static void complete_free(struct forward *f, struct tp_allocator_block *block, int32_t index)
{
    f->state->amounts.active -= block->size;
    block->free_completed = index;
    tp_address_map_remove(&f->state->live, block->address);
}

/* Shortens an older block that reaches into an address at which another block begins. */
static void end_block_before(struct forward *f, uint64_t address)
{
    struct tp_address_entry entry;
    if (!tp_address_map_before(&f->state->live, address, &entry))
        return;
    struct tp_allocator_block *block = tp_replay_block(f->replay, tp_address_entry_value(&entry));
    if (block->size <= address - block->address)
        return;
    if (!block->is_estimated) {
        count(f, TP_INCONSISTENT_OVERLAP);
        return;
    }
    uint64_t excess = block->size - (address - block->address);
    block->size -= excess;
    f->state->amounts.active -= excess;
    if (block->free_requested == TP_NO_EVENT)
        f->state->amounts.allocated -= excess;
}

static void allocate(struct forward *f, const struct tp_snapshot_event *event, int32_t index)
{
    struct tp_replay *replay = f->replay;
    struct tp_allocator_amounts *amounts = &f->state->amounts;
    struct tp_address_entry next;
    struct tp_allocator_block *old = find(f, event->address);
    bool overlaps;
    if (old) { /* the free of the old block is missing in the file */
        count(f, TP_INCONSISTENT_FREE_MISSING);
        request_free(f, old, index);
        complete_free(f, old, index);
    }
    const struct tp_segment_range *segment = tp_segment_set_find(&f->state->segments, event->address);
    end_block_before(f, event->address);
    bool has_next = tp_address_map_from(&f->state->live, event->address, &next);
    uint64_t size = tp_replay_block_size(replay, segment, event->address, event->size,
                                         has_next ? tp_address_entry_address(&next) : UINT64_MAX, &overlaps);
    if (!segment)
        count(f, TP_INCONSISTENT_OUTSIDE_SEGMENTS);
    else if (overlaps)
        count(f, TP_INCONSISTENT_OVERLAP);
    uint32_t pool = event->pool ? event->pool - 1u : segment ? segment->pool : 0;
    tp_address_map_put(&f->state->live, event->address, (uint32_t)replay->blocks.count);
    *(struct tp_allocator_block *)tp_vec_push(&replay->blocks) =
        (struct tp_allocator_block){.address = event->address,
                                    .size = size,
                                    .requested = event->size,
                                    .stream = event->stream,
                                    .allocated = index,
                                    .free_requested = TP_NO_EVENT,
                                    .free_completed = TP_NO_EVENT,
                                    .stack = event->stack,
                                    .metadata = event->metadata,
                                    .category = event->category,
                                    .pool = pool};
    amounts->allocated += size;
    amounts->active += size;
    amounts->requested += event->size;
}

static void free_block(struct forward *f, const struct tp_snapshot_event *event, int32_t index)
{
    const struct tp_replay *replay = f->replay;
    struct tp_allocator_block *block = find(f, event->address);
    bool is_request = event->action == TP_ACTION_FREE_REQUESTED ||
                      (event->action == TP_ACTION_FREE_COMPLETED && !replay->has_requests);
    if (!block) {
        count(f, TP_INCONSISTENT_FREE_OF_UNKNOWN);
        return;
    }
    if (block->free_requested == TP_NO_EVENT)
        block->free_stack = event->stack;
    request_free(f, block, index);
    if (!is_request || !replay->has_completions || !replay->has_requests)
        complete_free(f, block, index);
}

/* ---- segments ---- */

static bool is_segment_event(const struct tp_snapshot_event *event)
{
    return event->action >= TP_ACTION_SEGMENT_ALLOC && event->action <= TP_ACTION_SEGMENT_UNMAP;
}

/* Applies a segment event. Returns false if it contradicts the segments; *kind: the contradiction. */
static bool change_segments(struct tp_segment_set *segments, const struct tp_replay *replay,
                            const struct tp_snapshot_event *event, enum tp_inconsistency *kind)
{
    bool is_expandable = event->action == TP_ACTION_SEGMENT_MAP || event->action == TP_ACTION_SEGMENT_UNMAP;
    if (event->action == TP_ACTION_SEGMENT_ALLOC || event->action == TP_ACTION_SEGMENT_MAP) {
        *kind = TP_INCONSISTENT_SEGMENT_TWICE;
        return tp_segment_set_add(segments, tp_replay_segment(replay, event, is_expandable)) || is_expandable;
    }
    *kind = TP_INCONSISTENT_SEGMENT_FREE_OF_UNKNOWN;
    return tp_segment_set_cut(segments, event->address, event->size, is_expandable);
}

static void replay_segment_event(struct forward *f, const struct tp_snapshot_event *event)
{
    enum tp_inconsistency kind;
    if (!change_segments(&f->state->segments, f->replay, event, &kind))
        count(f, kind);
    f->state->amounts.reserved = f->state->segments.total_bytes;
}

void tp_replay_segments_at(const struct tp_replay *replay, struct tp_segment_set *segments, int64_t last)
{
    enum tp_inconsistency kind;
    tp_segment_set_copy(segments, &replay->start_segments);
    for (int64_t i = 0; i <= last; i++)
        if (is_segment_event(&replay->events[i]))
            change_segments(segments, replay, &replay->events[i], &kind);
}

static void apply(struct forward *f, const struct tp_snapshot_event *event, int32_t index)
{
    switch (event->action) {
    case TP_ACTION_ALLOC:
        allocate(f, event, index);
        return;
    case TP_ACTION_FREE_REQUESTED:
    case TP_ACTION_FREE_COMPLETED:
        free_block(f, event, index);
        return;
    case TP_ACTION_SEGMENT_ALLOC:
    case TP_ACTION_SEGMENT_FREE:
    case TP_ACTION_SEGMENT_MAP:
    case TP_ACTION_SEGMENT_UNMAP:
        replay_segment_event(f, event);
        return;
    case TP_ACTION_OOM:
        if (f->on_oom)
            f->on_oom(f->context, f->replay, (size_t)index);
        return;
    default:
        return;
    }
}

void tp_replay_forward(struct tp_replay *replay, tp_replay_oom *on_oom, void *context)
{
    struct forward f = {.replay = replay, .state = &replay->state, .on_oom = on_oom, .context = context};
    begin(&f);
    for (size_t i = 0; i < replay->event_count; i++) {
        apply(&f, &replay->events[i], (int32_t)i);
        replay->curve[i] = f.state->amounts;
    }
}
