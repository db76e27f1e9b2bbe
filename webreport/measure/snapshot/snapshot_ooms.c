/* Replays the events of a device, and measures the state of the allocator at each out-of-memory event: see
 * snapshot_parts.h. */
#include "webreport/measure/snapshot/snapshot_parts.h"
#include "webreport/model/allocator/allocator_rules.h"
#include "webreport/model/allocator/replay_build.h"
#include "writer/base/limits.h"

const char *tp_oom_kind_text(unsigned kind)
{
    static const char *const names[] = {"full", "fragmented", "limit"};
    return names[kind];
}

/* Lists the blocks of a state by address. live: receives the indexes of the blocks that the program uses. */
static const struct tp_allocator_block **list_blocks(const struct tp_replay *replay, struct tp_arena *arena,
                                                     uint32_t *live, size_t *live_count, size_t *count)
{
    const struct tp_address_map *map = &replay->state.live;
    const struct tp_allocator_block **blocks = tp_arena_array(arena, map->count, sizeof *blocks);
    struct tp_address_entry entry;
    bool has_entry = tp_address_map_from(map, 0, &entry);
    *count = *live_count = 0;
    for (; has_entry; has_entry = tp_address_entry_next(&entry)) {
        uint32_t index = tp_address_entry_value(&entry);
        const struct tp_allocator_block *block = tp_replay_block(replay, index);
        blocks[(*count)++] = block;
        if (block->free_requested == TP_NO_EVENT)
            live[(*live_count)++] = index;
    }
    return blocks;
}

static enum tp_oom_kind find_kind(const struct tp_snapshot_oom *oom)
{
    uint64_t inactive = oom->fragmentation.inactive_bytes;
    if (oom->device_free_bytes >= oom->segment_bytes)
        return TP_OOM_LIMIT;
    return inactive > 0 && inactive + oom->device_free_bytes >= oom->requested_bytes ? TP_OOM_FRAGMENTED : TP_OOM_FULL;
}

static void measure_layout(struct tp_snapshot_device *device, const struct tp_snapshot_event *event,
                           struct tp_snapshot_oom *oom)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_code_stacks *stacks = device->context.stacks;
    const struct tp_memory_request request = {.block_bytes = event->size,
                                              .stream = event->stream,
                                              .pool = event->pool ? event->pool - 1 : 0,
                                              .device_free_bytes = event->address,
                                              .segment_bytes = oom->segment_bytes};
    tp_layout_fragmentation(&oom->layout, &oom->fragmentation);
    tp_layout_free_by_use(&oom->layout, &request, &oom->free);
    tp_layout_pinned(&oom->layout, stacks, arena, &oom->pinned);
    tp_layout_to_go(&oom->layout, stacks, &request, arena, &oom->to_go);
}

/* Copies the blocks of a layout, because the replay moves them while it grows. */
static void copy_blocks(const struct tp_allocator_block **blocks, size_t count, struct tp_arena *arena)
{
    struct tp_allocator_block *copies = tp_arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        copies[i] = *blocks[i];
        blocks[i] = &copies[i];
    }
}

static void measure_oom(void *context, struct tp_replay *replay, size_t index)
{
    struct tp_snapshot_device *device = context;
    struct tp_arena *arena = device->context.arena;
    const struct tp_snapshot_event *event = &replay->events[index];
    const struct tp_allocator_amounts *amounts = &replay->state.amounts;
    bool is_last = ++device->oom_total == replay->action_counts[TP_ACTION_OOM];
    if (device->oom_count + !is_last >= TP_MAX_SNAPSHOT_OOMS)
        return; /* the last place is for the last event */
    struct tp_snapshot_oom *oom = &device->ooms[device->oom_count++];
    uint32_t *live = tp_arena_array(arena, replay->state.live.count, sizeof *live);
    size_t count;
    *oom = (struct tp_snapshot_oom){
        .index = (int64_t)index,
        .time_us = event->time_us,
        .requested_bytes = event->size,
        .segment_bytes =
            replay->snapshot->settings.is_expandable ? event->size : tp_allocator_segment_bytes(event->size),
        .device_free_bytes = event->address,
        .known_capacity_bytes = amounts->reserved + event->address,
        .stream = event->stream,
        .allocated_bytes = amounts->allocated,
        .active_bytes = amounts->active,
        .reserved_bytes = amounts->reserved,
        .requested_live_bytes = amounts->requested,
        .line = tp_snapshot_line_text(device, event->stack),
        .stack = tp_code_stacks_path(device->context.stacks, tp_code_stack(device->context.stacks, event->stack)->path),
        .live_blocks = live};
    const struct tp_allocator_block **blocks = list_blocks(replay, arena, live, &oom->live_count, &count);
    copy_blocks(blocks, count, arena);
    tp_layout_build(&oom->layout, arena, &replay->state.segments, blocks, count);
    measure_layout(device, event, oom);
    oom->short_bytes = oom->segment_bytes > event->address ? oom->segment_bytes - event->address : 0;
    oom->kind = (uint8_t)find_kind(oom);
}

/* Returns the number of out-of-memory events that are measured in detail. */
static size_t count_measured(const struct tp_snapshot *snapshot, int64_t device)
{
    size_t count = 0;
    if (device < 0 || (uint64_t)device >= snapshot->trace_count)
        return 0;
    const struct tp_snapshot_trace *trace = &snapshot->traces[device];
    for (size_t i = 0; i < trace->count && count < TP_MAX_SNAPSHOT_OOMS; i++)
        count += trace->events[i].action == TP_ACTION_OOM;
    return count;
}

static void measure_times(struct tp_snapshot_device *device)
{
    const struct tp_replay *replay = &device->replay;
    device->has_time = replay->event_count > 0;
    device->first_us = device->last_us = TP_NULL_INT;
    for (size_t i = 0; i < replay->event_count; i++)
        device->has_time &= replay->events[i].time_us != TP_NULL_INT;
    if (!device->has_time)
        return;
    device->first_us = replay->events[0].time_us;
    device->last_us = replay->events[replay->event_count - 1].time_us;
    for (size_t i = 1; i < replay->event_count; i++)
        device->backwards += replay->events[i].time_us < replay->events[i - 1].time_us;
}

void tp_snapshot_measure_events(struct tp_snapshot_device *device)
{
    struct tp_live_context *context = &device->context;
    struct tp_replay *replay = &device->replay;
    size_t count = count_measured(context->snapshot, device->device);
    device->ooms = tp_arena_array(context->arena, count, sizeof *device->ooms);
    tp_replay_build(replay, context->arena, context->snapshot, device->device, measure_oom, device);
    for (size_t i = 0; i < replay->event_count && !context->has_stacks; i++)
        context->has_stacks = replay->events[i].action == TP_ACTION_ALLOC && replay->events[i].stack;
    measure_times(device);
}

void tp_snapshot_group_ooms(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_id_map ends; /* index in end_blocks of blocks of the replay that are live at the end */
    tp_id_map_init(&ends, arena);
    for (size_t i = 0; i < device->end_block_count && device->oom_count; i++)
        if (device->end_block_origins[i] != TP_NO_ID)
            *tp_id_map_find_or_add(&ends, device->end_block_origins[i]) = (uint32_t)i;
    for (uint64_t k = 0; k < device->oom_count; k++) {
        struct tp_snapshot_oom *oom = &device->ooms[k];
        const struct tp_allocator_block **blocks = tp_arena_array(arena, oom->live_count, sizeof *blocks);
        for (size_t i = 0; i < oom->live_count; i++) {
            const uint32_t *end = tp_id_map_find(&ends, oom->live_blocks[i]);
            blocks[i] = end ? &device->end_blocks[*end] : tp_replay_block(&device->replay, oom->live_blocks[i]);
        }
        oom->blocks = blocks;
        tp_live_by_build(&oom->live_by, &device->context, blocks, oom->live_count, NULL);
    }
}
