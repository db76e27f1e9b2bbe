/* Finds the code around an allocation: see memory_code.h. */
#include "webreport/measure/memory/memory_code.h"

/* maximum number of enclosing events that are checked per memory block; only damaged traces have more */
enum { MAX_ANCESTORS = 1024 };

struct tp_memory_code tp_memory_find_code(const struct tp_model *model, const struct tp_memory *record)
{
    const struct tp_frames *frames = &model->trace->frames;
    struct tp_memory_code code = {TP_NO_ID, TP_NO_ID, TP_NO_ID};
    bool has_users_line = false;
    uint32_t event = tp_innermost_event(model, record->thread, record->ts_ns);
    for (unsigned i = 0; event != TP_NO_ID && i < MAX_ANCESTORS;
         event = tp_find_next_event_around(model, event, record->ts_ns), i++) {
        const struct tp_event *e = &model->trace->events[event];
        if (e->kind == TP_KIND_OPERATOR)
            code.op = tp_frames_label(frames, e->name);
        if (!tp_kind_is_frame(e->kind))
            continue;
        if (code.module == TP_NO_ID && tp_event_marks(model, event) & TP_MARK_MODULE)
            code.module = e->name;
        bool is_user_code = tp_frames_is_user_code(frames, e->name);
        if (code.line == TP_NO_ID || (is_user_code && !has_users_line))
            code.line = tp_frames_line(frames, e->name);
        has_users_line |= is_user_code;
    }
    return code;
}

uint32_t tp_memory_code_text(const struct tp_model *model, const struct tp_memory_code *code,
                             enum tp_memory_code_part part, struct tp_str *text)
{
    const struct tp_trace *trace = model->trace;
    uint32_t id = part == TP_MEMORY_OPERATOR ? code->op : part == TP_MEMORY_MODULE ? code->module : code->line;
    *text = TP_STR("");
    if (id == TP_NO_ID)
        return id;
    if (part == TP_MEMORY_OPERATOR)
        *text = tp_frames_label_text(&trace->frames, id);
    else if (part == TP_MEMORY_LINE)
        *text = tp_frames_line_text(&trace->frames, id);
    else
        *text = tp_frame_module_name(tp_strings_get(&trace->names, id));
    return text->len ? id : TP_NO_ID;
}
