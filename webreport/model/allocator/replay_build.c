/* Replays the events of the allocator: see replay_build.h. */
#include "webreport/model/allocator/replay_build.h"

#include "webreport/model/allocator/replay_parts.h"

/* Stores the pools of the segments at the end, and the events of the device. */
static void prepare(struct tp_replay *replay)
{
    const struct tp_snapshot *snapshot = replay->snapshot;
    size_t first, end;
    tp_id_map_init(&replay->end_pools, replay->arena);
    tp_snapshot_device_segments(snapshot, replay->device, &first, &end);
    for (size_t i = first; i < end; i++) {
        const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, i);
        *tp_id_map_find_or_add(&replay->end_pools, segment->address) = segment->pool;
    }
    if (replay->device >= 0 && (uint64_t)replay->device < snapshot->trace_count) {
        replay->events = snapshot->traces[replay->device].events;
        replay->event_count = snapshot->traces[replay->device].count;
    }
    for (size_t i = 0; i < replay->event_count; i++)
        replay->action_counts[replay->events[i].action]++;
    replay->has_requests = replay->action_counts[TP_ACTION_FREE_REQUESTED] > 0;
    replay->has_completions = replay->action_counts[TP_ACTION_FREE_COMPLETED] > 0;
}

void tp_replay_build(struct tp_replay *replay, struct tp_arena *arena, const struct tp_snapshot *snapshot,
                     int64_t device, tp_replay_oom *on_oom, void *context)
{
    *replay = (struct tp_replay){
        .arena = arena, .snapshot = snapshot, .device = device, .blocks = TP_VEC(arena, struct tp_allocator_block)};
    prepare(replay);
    tp_segment_set_init(&replay->start_segments, arena);
    tp_segment_set_init(&replay->state.segments, arena);
    tp_address_map_init(&replay->state.live, arena);
    replay->curve = tp_arena_array(arena, replay->event_count, sizeof *replay->curve);
    tp_replay_go_back(replay);
    tp_replay_forward(replay, on_oom, context);
    tp_replay_compare_end(replay);
}
