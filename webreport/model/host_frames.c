/* Frame names and project lines: see host_frames.h. */
#include "webreport/model/host_frames.h"

#define NOT_YET (TP_NO_ID - 1)

static const char *const kind_texts[TP_FRAME_KIND_COUNT] = {
    [TP_FRAME_OPERATOR] = "cpu_op",
    [TP_FRAME_NONE] = "none",
    [TP_FRAME_PYTHON] = "python_function",
    [TP_FRAME_RUNTIME] = "runtime",
    [TP_FRAME_ANNOTATION] = "user_annotation",
};

const char *tp_frame_kind_text(enum tp_frame_kind kind)
{
    return kind_texts[kind];
}

enum tp_frame_kind tp_frame_kind_of(enum tp_kind role)
{
    switch (role) {
    case TP_KIND_OPERATOR:
        return TP_FRAME_OPERATOR;
    case TP_KIND_RUNTIME:
        return TP_FRAME_RUNTIME;
    case TP_KIND_ANNOTATION:
        return TP_FRAME_ANNOTATION;
    case TP_KIND_FRAME:
        return TP_FRAME_PYTHON;
    default:
        return TP_FRAME_NONE;
    }
}

void tp_host_frames_init(struct tp_host_frames *frames, const struct tp_trace *trace, struct tp_arena *arena)
{
    frames->trace = trace;
    tp_strings_init(&frames->frames, arena, 0);
    tp_strings_init(&frames->lines, arena, 0);
    frames->frame_of_name = tp_arena_array(arena, trace->names.count, sizeof *frames->frame_of_name);
    frames->line_of_name = tp_arena_array(arena, trace->names.count, sizeof *frames->line_of_name);
    for (uint32_t i = 0; i < trace->names.count; i++)
        frames->frame_of_name[i] = frames->line_of_name[i] = NOT_YET;
    frames->no_event = tp_strings_add(&frames->frames, TP_STR("[no host event]"));
}

uint32_t tp_host_frames_frame(struct tp_host_frames *frames, uint32_t name)
{
    uint32_t *id = &frames->frame_of_name[name];
    if (*id == NOT_YET)
        *id = tp_strings_add(&frames->frames, tp_frame_label(frames->frames.arena, frames->trace->names.items[name]));
    return *id;
}

uint32_t tp_host_frames_line(struct tp_host_frames *frames, uint32_t name)
{
    uint32_t *id = &frames->line_of_name[name];
    if (*id == NOT_YET) {
        struct tp_str line = tp_frame_project_line(frames->trace->names.items[name]);
        *id = line.ptr ? tp_strings_add(&frames->lines, line) : TP_NO_ID;
    }
    return *id;
}
