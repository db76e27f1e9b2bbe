/* Measures the moments of the largest allocated and reserved bytes: see snapshot_parts.h. */
#include "webreport/measure/snapshot/snapshot_parts.h"
#include "writer/base/sort.h"

/* ---- live blocks at the peak ---- */

static int compare_addresses(const void *x, const void *y, const void *context)
{
    const struct tp_allocator_block *const *a = x, *const *b = y;
    (void)context; /* all data is in the blocks */
    return ((*a)->address > (*b)->address) - ((*a)->address < (*b)->address);
}

static int compare_sizes(const void *x, const void *y, const void *context)
{
    const struct tp_allocator_block *const *a = x, *const *b = y;
    if ((*a)->size != (*b)->size)
        return (*a)->size < (*b)->size ? 1 : -1;
    return compare_addresses(x, y, context);
}

/* Lists the blocks at the peak by address, with pending blocks, and the live blocks among them. */
static const struct tp_allocator_block **list_blocks(struct tp_snapshot_device *device, int64_t index, size_t *count)
{
    struct tp_arena *arena = device->context.arena;
    const struct tp_replay *replay = &device->replay;
    struct tp_vec all = TP_VEC(arena, const struct tp_allocator_block *);
    struct tp_snapshot_peak *peak = &device->peak;
    for (uint32_t i = 0; i < replay->blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        if (block->allocated > index)
            break;
        if (block->free_completed > index)
            *(const struct tp_allocator_block **)tp_vec_push(&all) = block;
    }
    tp_merge_sort(arena, all.data, all.count, sizeof(const struct tp_allocator_block *), compare_addresses, NULL);
    device->peak_blocks = tp_arena_array(arena, all.count, sizeof *device->peak_blocks);
    for (size_t i = 0; i < all.count; i++) {
        const struct tp_allocator_block *block = *TP_AT(&all, const struct tp_allocator_block *, i);
        peak->at.active_bytes += block->size;
        if (!tp_allocator_block_is_live(block, index))
            continue;
        device->peak_blocks[device->peak_block_count++] = block;
        peak->at.requested_bytes += block->requested;
    }
    *count = all.count;
    return all.data;
}

static void list_largest(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_snapshot_peak *peak = &device->peak;
    size_t count = device->peak_block_count;
    const struct tp_allocator_block **sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = device->peak_blocks[i];
    tp_merge_sort(arena, sorted, count, sizeof *sorted, compare_sizes, NULL);
    for (; peak->largest_count < count && peak->largest_count < TP_SNAPSHOT_LARGEST; peak->largest_count++) {
        const struct tp_allocator_block *block = sorted[peak->largest_count];
        peak->largest[peak->largest_count] = (struct tp_snapshot_large_block){
            .address = block->address,
            .bytes = block->size,
            .requested_bytes = block->requested,
            .line = tp_snapshot_line_text(device, block->stack),
            .category = tp_code_name(device->context.stacks, tp_live_category(&device->context, block)),
            .allocated_index = block->allocated,
            .freed_index = block->free_requested == TP_NO_EVENT ? TP_NULL_INT : block->free_requested};
    }
}

/* ---- peaks ---- */

/* Returns the first position of the curve with the largest value. get: value at a position. */
static size_t find_largest(const struct tp_snapshot_device *device,
                           uint64_t (*get)(const struct tp_snapshot_device *device, size_t position))
{
    size_t best = 0;
    for (size_t i = 1; i <= device->replay.event_count; i++)
        if (get(device, i) > get(device, best))
            best = i;
    return best;
}

static uint64_t reserved_at(const struct tp_snapshot_device *device, size_t position)
{
    return position ? device->replay.curve[position - 1].reserved : device->replay.start.reserved;
}

/* Without events, the recorded end is the only known moment. */
static void use_end(struct tp_snapshot_device *device)
{
    struct tp_snapshot_peak *peak = &device->peak;
    const struct tp_snapshot_end *end = &device->end;
    peak->at = (struct tp_snapshot_moment){.index = -1,
                                           .time_us = TP_NULL_INT,
                                           .allocated_bytes = end->allocated_bytes,
                                           .active_bytes = end->active_bytes,
                                           .reserved_bytes = end->reserved_bytes,
                                           .requested_bytes = end->requested_bytes};
    peak->rounding_bytes = end->rounding_bytes;
    peak->pending_free_bytes = end->pending_free_bytes;
    peak->line = (struct tp_str){"", 0};
    peak->fragmentation = end->fragmentation;
    peak->live_by = end->live_by;
    device->peak_segments = device->end_segments;
    device->peak_blocks = tp_arena_array(device->context.arena, device->end_block_count, sizeof *device->peak_blocks);
    for (size_t i = 0; i < device->end_block_count; i++)
        if (device->end_blocks[i].free_requested == TP_NO_EVENT)
            device->peak_blocks[device->peak_block_count++] = &device->end_blocks[i];
}

static void measure_moment(struct tp_snapshot_device *device, size_t position)
{
    struct tp_snapshot_peak *peak = &device->peak;
    struct tp_arena *arena = device->context.arena;
    int64_t index = (int64_t)position - 1;
    struct tp_layout layout;
    size_t count;
    peak->at = (struct tp_snapshot_moment){.index = index,
                                           .time_us = tp_snapshot_time(device, index),
                                           .allocated_bytes = tp_snapshot_allocated_at(device, position)};
    const struct tp_allocator_block **blocks = list_blocks(device, index, &count);
    uint64_t live_bytes = 0;
    for (size_t i = 0; i < device->peak_block_count; i++)
        live_bytes += device->peak_blocks[i]->size;
    tp_segment_set_init(&device->peak_segments, arena);
    tp_replay_segments_at(&device->replay, &device->peak_segments, index);
    peak->at.reserved_bytes = device->peak_segments.total_bytes;
    peak->rounding_bytes = live_bytes - peak->at.requested_bytes;
    peak->pending_free_bytes = peak->at.active_bytes - live_bytes;
    tp_layout_build(&layout, arena, &device->peak_segments, blocks, count);
    tp_layout_fragmentation(&layout, &peak->fragmentation);
    tp_live_by_build(&peak->live_by, &device->context, device->peak_blocks, device->peak_block_count,
                     &device->peak_segments);
    peak->line =
        index >= 0 ? tp_snapshot_line_text(device, device->replay.events[index].stack) : (struct tp_str){"", 0};
    list_largest(device);
}

void tp_snapshot_measure_peak(struct tp_snapshot_device *device)
{
    size_t reserved = find_largest(device, reserved_at);
    device->peak_reserved = (struct tp_snapshot_moment){.index = (int64_t)reserved - 1,
                                                        .time_us = tp_snapshot_time(device, (int64_t)reserved - 1),
                                                        .reserved_bytes = reserved_at(device, reserved)};
    if (device->replay.event_count)
        measure_moment(device, find_largest(device, tp_snapshot_allocated_at));
    else
        use_end(device);
}
