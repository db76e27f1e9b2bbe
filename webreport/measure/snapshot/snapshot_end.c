/* Measures the recorded end of a snapshot: see snapshot_parts.h. */
#include "webreport/measure/snapshot/snapshot_parts.h"

/* Adds up the amounts of the recorded segments and blocks. */
static void add_amounts(const struct tp_snapshot_device *device, struct tp_snapshot_end *end)
{
    const struct tp_snapshot *snapshot = device->context.snapshot;
    size_t first, past;
    tp_snapshot_device_segments(snapshot, device->device, &first, &past);
    for (size_t i = first; i < past; i++) {
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, i);
        end->reserved_bytes += segment->size;
        for (size_t k = 0; k < segment->block_count; k++) {
            const struct tp_snapshot_block *block = &segment->blocks[k];
            if (block->state == TP_BLOCK_ALLOCATED) {
                end->allocated_bytes += block->size;
                end->requested_bytes += block->requested;
            }
            if (block->state != TP_BLOCK_FREE)
                end->active_bytes += block->size;
        }
    }
    end->pending_free_bytes = end->active_bytes - end->allocated_bytes;
    end->rounding_bytes = end->allocated_bytes - end->requested_bytes;
}

/* Fills the block at the end from the replay, or from the file if the replay has no block of this size at its address.
 * *origin: index of the block in the replay, or TP_NO_ID. */
static void fill_block(struct tp_snapshot_device *device, const struct tp_snapshot_segment *segment,
                       const struct tp_snapshot_block *recorded, struct tp_allocator_block *out, uint32_t *origin)
{
    struct tp_replay *replay = &device->replay;
    const struct tp_snapshot *snapshot = device->context.snapshot;
    const uint32_t *index = tp_address_map_find(&replay->state.live, recorded->address);
    struct tp_allocator_block *block = index ? tp_replay_block(replay, *index) : NULL;
    *origin = TP_NO_ID;
    if (block && block->size == recorded->size) {
        *origin = *index;
        *out = *block;
    } else {
        *out = (struct tp_allocator_block){.address = recorded->address,
                                           .size = recorded->size,
                                           .stream = segment->stream,
                                           .allocated = TP_BEFORE_EVENTS,
                                           .free_requested =
                                               recorded->state == TP_BLOCK_ALLOCATED ? TP_NO_EVENT : TP_BEFORE_EVENTS,
                                           .free_completed = TP_NO_EVENT,
                                           .stack = recorded->stack,
                                           .metadata = snapshot->no_text,
                                           .category = snapshot->no_text};
    }
    if (recorded->stack && !out->stack)
        out->stack = recorded->stack;
    out->requested = recorded->requested;
    out->pool = segment->pool;
    if (*origin != TP_NO_ID && block->allocated < 0) {
        /* an older block gets the data of the file also at earlier moments */
        block->stack = out->stack;
        block->requested = out->requested;
        block->pool = out->pool;
    }
}

/* Lists the allocated and pending blocks at the end by address. */
static void list_blocks(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    const struct tp_snapshot *snapshot = device->context.snapshot;
    struct tp_vec blocks = TP_VEC(arena, struct tp_allocator_block), origins = TP_VEC(arena, uint32_t);
    struct tp_address_map order; /* index of the recorded segment and block at each address */
    struct tp_vec recorded = TP_VEC(arena, uint64_t);
    struct tp_address_entry entry;
    size_t first, past;
    tp_address_map_init(&order, arena);
    tp_snapshot_device_segments(snapshot, device->device, &first, &past);
    for (size_t i = first; i < past; i++) {
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, i);
        tp_segment_set_add(&device->end_segments,
                           (struct tp_segment_range){segment->address, segment->size, segment->stream, segment->pool,
                                                     segment->is_expandable, segment->is_small});
        for (size_t k = 0; k < segment->block_count; k++)
            if (segment->blocks[k].state != TP_BLOCK_FREE) {
                tp_address_map_put(&order, segment->blocks[k].address, (uint32_t)recorded.count);
                *(uint64_t *)tp_vec_push(&recorded) = tp_id_pair((uint32_t)i, (uint32_t)k);
            }
    }
    bool has_entry = tp_address_map_from(&order, 0, &entry);
    for (; has_entry; has_entry = tp_address_entry_next(&entry)) {
        uint64_t place = *TP_AT(&recorded, uint64_t, tp_address_entry_value(&entry));
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, place >> 32);
        fill_block(device, segment, &segment->blocks[(uint32_t)place], tp_vec_push(&blocks), tp_vec_push(&origins));
    }
    device->end_blocks = blocks.data;
    device->end_block_origins = origins.data;
    device->end_block_count = blocks.count;
}

void tp_snapshot_measure_end(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_snapshot_end *end = &device->end;
    add_amounts(device, end);
    tp_segment_set_init(&device->end_segments, arena);
    list_blocks(device);
    const struct tp_allocator_block **all = tp_arena_array(arena, device->end_block_count, sizeof *all);
    const struct tp_allocator_block **live = tp_arena_array(arena, device->end_block_count, sizeof *live);
    size_t live_count = 0;
    for (size_t i = 0; i < device->end_block_count; i++) {
        all[i] = &device->end_blocks[i];
        if (all[i]->free_requested == TP_NO_EVENT)
            live[live_count++] = all[i];
    }
    tp_layout_build(&device->end_layout, arena, &device->end_segments, all, device->end_block_count);
    tp_layout_fragmentation(&device->end_layout, &end->fragmentation);
    tp_layout_pinned(&device->end_layout, device->context.stacks, arena, &end->pinned);
    tp_live_by_build(&end->live_by, &device->context, live, live_count, &device->end_segments);
}
