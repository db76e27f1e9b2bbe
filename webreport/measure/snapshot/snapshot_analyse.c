/* Analyses a memory snapshot, device by device: see snapshot_result.h. */
#include "webreport/measure/snapshot/snapshot_result.h"

#include "webreport/measure/snapshot/snapshot_parts.h"
#include "writer/base/limits.h"

/* Groups the blocks that are older than the recording and live at its end, and adds up the blocks of growing lines. */
static void measure_leaks(struct tp_snapshot_device *device)
{
    struct tp_arena *arena = device->context.arena;
    const struct tp_allocator_block **older = tp_arena_array(arena, device->end_block_count, sizeof *older);
    size_t count = 0;
    for (size_t i = 0; i < device->end_block_count; i++) {
        const struct tp_allocator_block *block = &device->end_blocks[i];
        if (block->free_requested != TP_NO_EVENT)
            continue;
        if (block->allocated < 0) {
            older[count++] = block;
            continue;
        }
        uint32_t line = tp_snapshot_line_or_site(device, block->stack);
        for (uint64_t k = 0; k < device->growth.growing_count; k++)
            if (line == device->growth.growing[k].name_id) {
                device->leak_bytes += block->size;
                device->leak_blocks++;
                break;
            }
    }
    tp_live_table_build(&device->older_live, &device->context, TP_LIVE_LINE_OR_SITE, older, count, NULL);
    for (uint64_t i = 0; i < device->older_live.row_count; i++)
        if (!device->older_live.rows[i].name.len)
            device->older_live.rows[i].name = tp_str_of("(no stack)");
}

static void analyse_device(struct tp_snapshot_device *device)
{
    tp_snapshot_measure_events(device);
    tp_snapshot_measure_end(device);
    tp_snapshot_measure_peak(device);
    tp_snapshot_measure_curve(device);
    tp_snapshot_group_ooms(device);
    tp_snapshot_measure_window(device);
    tp_snapshot_measure_growth(device);
    tp_snapshot_measure_churn(device);
    measure_leaks(device);
    tp_snapshot_find_problems(device);
}

/* Returns the smallest device number above `after` that has segments or events; INT64_MAX if none exists. */
static int64_t next_device(const struct tp_snapshot *snapshot, int64_t after, bool is_first)
{
    int64_t next = INT64_MAX;
    size_t first = 0, end = 0;
    if (!is_first)
        tp_snapshot_device_segments(snapshot, after, &first, &end);
    if (end < snapshot->segments.count)
        next = tp_snapshot_segment(snapshot, end)->device;
    for (size_t i = 0; i < snapshot->trace_count; i++)
        if (snapshot->traces[i].count && (is_first || (int64_t)i > after) && (int64_t)i < next)
            next = (int64_t)i;
    return next;
}

void tp_snapshot_analyse(struct tp_snapshot_result *result, const struct tp_snapshot *snapshot, struct tp_str file,
                         struct tp_arena *arena)
{
    struct tp_vec devices = TP_VEC(arena, struct tp_snapshot_device);
    *result = (struct tp_snapshot_result){.file = file, .rank = tp_snapshot_rank_of_file(file), .snapshot = snapshot};
    tp_code_stacks_build(&result->stacks, snapshot, arena);
    for (int64_t device = next_device(snapshot, 0, true);
         device != INT64_MAX && devices.count < TP_MAX_SNAPSHOT_DEVICES; device = next_device(snapshot, device, false))
        *(struct tp_snapshot_device *)tp_vec_push(&devices) =
            (struct tp_snapshot_device){.device = device, .context = {arena, snapshot, &result->stacks, false}};
    result->devices = devices.data;
    result->device_count = devices.count;
    for (uint64_t i = 0; i < result->device_count; i++)
        analyse_device(&result->devices[i]);
}
