/* Makes folded stacks of live memory: see live_stacks.h. The weight of a stack is the size of its blocks, so that
 * the sum of all stacks equals the allocated bytes of the report at the same moment. */
#include "webreport/export/stacks/live_stacks.h"

#include <inttypes.h>

#include "writer/base/limits.h"
#include "writer/text/format.h"

/* Returns the path in `folded` of a stack. Frames below the limit of the depth belong to the last frame. */
static uint32_t add_path(struct tp_folded *folded, struct tp_code_stacks *stacks, uint32_t stack, struct tp_vec *frames)
{
    uint32_t path = tp_code_stack(stacks, stack)->path, out = TP_NO_ID;
    frames->count = 0;
    for (; path; path = tp_keys_get(&stacks->paths, path - 1)[0])
        *(uint32_t *)tp_vec_push(frames) = tp_keys_get(&stacks->paths, path - 1)[1];
    for (size_t i = frames->count, depth = 0; i-- > 0 && depth < TP_MAX_FOLDED_DEPTH; depth++)
        out = tp_folded_add_frame(folded, out, tp_code_name(stacks, *TP_AT(frames, uint32_t, i)));
    return out == TP_NO_ID ? tp_folded_add_frame(folded, out, TP_STR("(no stack)")) : out;
}

/* Returns the stacks of a device; NULL if the device lacks this moment. */
static struct tp_folded *build(const struct tp_snapshot_device *device, enum tp_snapshot_when when,
                               struct tp_arena *arena)
{
    struct tp_folded *folded = tp_arena_alloc(arena, sizeof *folded);
    struct tp_vec frames = TP_VEC(arena, uint32_t);
    struct tp_live_blocks live;
    if (!tp_snapshot_list_live(&live, device, when, arena))
        return NULL;
    tp_folded_init(folded, &tp_folded_live_memory, arena);
    for (size_t i = 0; i < live.count; i++)
        tp_folded_add_value(folded, add_path(folded, device->context.stacks, live.blocks[i]->stack, &frames),
                            (int64_t)live.blocks[i]->size);
    return folded;
}

/* Returns the stacks of the same device in the baseline. They are empty if the baseline lacks the device or moment. */
static struct tp_folded *build_baseline(const struct tp_export *export, int64_t device)
{
    const struct tp_snapshot_result *baseline = export->snapshot_baseline;
    struct tp_folded *folded = NULL;
    for (uint64_t i = 0; i < baseline->device_count; i++)
        if (baseline->devices[i].device == device)
            folded = build(&baseline->devices[i], export->when, export->arena);
    if (!folded) {
        folded = tp_arena_alloc(export->arena, sizeof *folded);
        tp_folded_init(folded, &tp_folded_live_memory, export->arena);
    }
    return folded;
}

static bool is_empty(struct tp_folded *folded)
{
    return !folded || tp_folded_is_at_end(folded);
}

int tp_snapshot_pictures(const struct tp_export *export,
                         int (*write)(const struct tp_snapshot_picture *picture, struct tp_error *err),
                         struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    const char *when = tp_snapshot_when_text(export->when);
    int code = TP_OK;
    uint64_t written = 0;
    for (uint64_t i = 0; i < export->snapshot->device_count && code == TP_OK; i++) {
        const struct tp_snapshot_device *device = &export->snapshot->devices[i];
        struct tp_snapshot_picture picture = {
            .export = export,
            .now = build(device, export->when, arena),
            .before = export->snapshot_baseline ? build_baseline(export, device->device) : NULL,
            .path =
                tp_text_printf(arena, "%s/%s.GPU%" PRId64 ".%s", export->folder, export->worker, device->device, when),
            .title = tp_text_printf(arena, "%s, GPU %" PRId64 ", %s", export->worker, device->device,
                                    export->when == TP_SNAPSHOT_AT_OOM    ? "out of memory"
                                    : export->when == TP_SNAPSHOT_AT_PEAK ? "at the peak"
                                                                          : "at the end")};
        if (is_empty(picture.now))
            continue;
        code = write(&picture, err);
        written++;
    }
    if (code == TP_OK && !written)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_snapshot_no_live_text(export->snapshot, export->when));
    return code;
}
