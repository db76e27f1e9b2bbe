/* Writes export --to memory-flow: one SVG file for each device, which shows memory blocks over time and address. */
#include "webreport/export/memory_flow/memory_flow.h"
#include "webreport/measure/audience/phrases.h"

#include <inttypes.h>
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/svg.h"
#include "webreport/export/whole_file.h"
#include "webreport/measure/snapshot/snapshot_result.h"
#include "writer/base/limits.h"
#include "writer/text/escape.h"
#include "writer/text/format.h"

struct picture {
    const struct tp_export *export;
    const struct tp_memory_records *records; /* NULL if `flow` is built already */
    uint32_t device;
    struct tp_memory_flow flow;
    struct tp_str title;
};

static void draw_picture(struct tp_buf *out, void *context)
{
    struct picture *picture = context;
    const struct tp_export *export = picture->export;
    struct tp_flow_colours colours;
    if (picture->records)
        tp_memory_flow_build(&picture->flow, picture->records, picture->device, export->arena);
    tp_flow_colours_build(&colours, &picture->flow, export->colour, export->arena);
    tp_memory_flow_write_svg(out, &picture->flow, &colours, picture->title, export->arena);
}

/* Returns whether an earlier device has the same name, for example a CUDA and a HIP device with the same number. The
 * file name then also contains the type of the device. */
static bool is_name_taken(const struct tp_memory_records *records, uint32_t device)
{
    for (uint32_t i = 0; i < device; i++)
        if (tp_str_equal(records->devices[i].name, records->devices[device].name))
            return true;
    return false;
}

/* Writes one picture for each device of a memory snapshot that has events. */
static int write_snapshot(const struct tp_export *export, struct tp_error *err)
{
    int code = TP_OK;
    bool has_events = false;
    for (uint64_t i = 0; i < export->snapshot->device_count && code == TP_OK; i++) {
        const struct tp_snapshot_device *device = &export->snapshot->devices[i];
        struct picture picture = {.export = export, .title = tp_str_of(export->worker)};
        if (!device->replay.event_count)
            continue;
        has_events = true;
        code = tp_memory_flow_build_snapshot(&picture.flow, device, export->filter, export->arena, err);
        if (code < 0)
            return code;
        picture.flow.device = tp_str_of(tp_text_printf(export->arena, "GPU%" PRId64, device->device));
        const char *path = tp_text_printf(export->arena, "%s/%s.%s.memory.svg", export->folder, export->worker,
                                          picture.flow.device.ptr);
        code =
            tp_export_note_written_path(export, path, tp_svg_write(path, export->arena, draw_picture, &picture, err));
    }
    if (code == TP_OK && !has_events)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "the snapshot has no events; record them with torch.cuda.memory._record_memory_history()");
    return code;
}

static int write_device(struct picture *picture, struct tp_error *err)
{
    const struct tp_export *export = picture->export;
    const struct tp_device_memory *device = &picture->records->devices[picture->device];
    char path[4096], type[32] = "";
    if (is_name_taken(picture->records, picture->device))
        snprintf(type, sizeof type, ".%" PRId64, device->type);
    int n = snprintf(path, sizeof path, "%s/%s.%s%s.memory.svg", export->folder, export->worker,
                     tp_file_name_escape(export->arena, device->name), type);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    return tp_export_note_written_path(export, path, tp_svg_write(path, export->arena, draw_picture, picture, err));
}

int tp_export_memory_flow(const struct tp_export *export, struct tp_error *err)
{
    struct tp_memory_records records;
    int code = TP_OK;
    if (export->snapshot)
        return write_snapshot(export, err);
    tp_memory_records_build(&records, export->profile->model, export->arena);
    if (records.count == 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s",
                            tp_phrase(TP_PHRASE_NO_MEMORY, export->profile->model->producer));
    for (uint32_t i = 0; i < records.device_count && i < TP_MAX_EXPORT_DEVICES && code == TP_OK; i++) {
        struct picture picture = {.export = export, .records = &records, .device = i, .title = export->profile->worker};
        code = write_device(&picture, err);
    }
    return code;
}
