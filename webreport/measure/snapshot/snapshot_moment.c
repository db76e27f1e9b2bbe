/* Lists the live blocks of a device at a moment that the user names: see snapshot_result.h. */
#include "webreport/measure/snapshot/snapshot_result.h"

const char *tp_snapshot_when_text(enum tp_snapshot_when when)
{
    static const char *const names[] = {"peak", "end", "oom"};
    return names[when];
}

static void list_end(struct tp_live_blocks *live, const struct tp_snapshot_device *device, struct tp_arena *arena)
{
    const struct tp_allocator_block **blocks = tp_arena_array(arena, device->end_block_count, sizeof *blocks);
    for (size_t i = 0; i < device->end_block_count; i++)
        if (device->end_blocks[i].free_requested == TP_NO_EVENT)
            blocks[live->count++] = &device->end_blocks[i];
    live->blocks = blocks;
    live->segments = &device->end_segments;
}

bool tp_snapshot_list_live(struct tp_live_blocks *live, const struct tp_snapshot_device *device,
                           enum tp_snapshot_when when, struct tp_arena *arena)
{
    *live = (struct tp_live_blocks){.count = 0};
    if (when == TP_SNAPSHOT_AT_OOM && !device->oom_count)
        return false;
    if (when == TP_SNAPSHOT_AT_END)
        list_end(live, device, arena);
    else if (when == TP_SNAPSHOT_AT_PEAK)
        *live = (struct tp_live_blocks){device->peak_blocks, device->peak_block_count, &device->peak_segments};
    else
        *live = (struct tp_live_blocks){device->ooms[device->oom_count - 1].blocks,
                                        device->ooms[device->oom_count - 1].live_count, NULL};
    return true;
}

const char *tp_snapshot_no_live_text(const struct tp_snapshot_result *result, enum tp_snapshot_when when)
{
    return !result->device_count        ? "the snapshot has no events and no segments"
           : when == TP_SNAPSHOT_AT_OOM ? "no request for memory failed"
                                        : "no memory is allocated at this moment";
}
