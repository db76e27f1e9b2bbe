/* Implements captured_stack.h. */
#include "webreport/model/capture/captured_stack.h"

static const char MODULE_PREFIX[] = "nn.Module: ";

static void add_frame(struct tp_vec *frames, enum tp_kind kind, struct tp_str text)
{
    *(struct tp_captured_frame *)tp_vec_push(frames) = (struct tp_captured_frame){kind, text};
}

static bool is_stack_kind(unsigned kind)
{
    return tp_kind_is_frame(kind) || kind == TP_KIND_OPERATOR || kind == TP_KIND_ANNOTATION;
}

/* The events that a stack must contain; TP_NO_ID if unknown. */
struct wanted {
    uint32_t module, op, line; /* line: id of the line; TP_NO_ID after its frame was found */
};

/* Returns whether an event is the module, the operator or the innermost frame with the line. */
static bool is_wanted(const struct tp_model *model, struct wanted *wanted, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    bool is_line = wanted->line != TP_NO_ID && e->kind == TP_KIND_FRAME &&
                   tp_frames_line(&model->trace->frames, e->name) == wanted->line;
    if (is_line)
        wanted->line = TP_NO_ID;
    return is_line || event == wanted->module || event == wanted->op;
}

static void reverse(struct tp_vec *frames)
{
    struct tp_captured_frame *items = frames->data;
    for (size_t i = 0, k = frames->count; i + 1 < k--; i++) {
        struct tp_captured_frame other = items[i];
        items[i] = items[k];
        items[k] = other;
    }
}

static void add_stack_of_call(const struct tp_model *model, const struct tp_joined_row *row, struct tp_vec *frames)
{
    const struct tp_event *events = model->trace->events;
    int64_t at = events[row->call].ts_ns, begin = model->joined->captures->sections[row->section].begin_ns;
    struct wanted wanted = {.module = row->module == TP_NO_ID ? TP_NO_ID : model->modules.event[row->module],
                            .op = row->op == TP_NO_ID ? TP_NO_ID : model->operators.event[row->op],
                            .line = row->line};
    bool has_end = wanted.module == TP_NO_ID && wanted.op == TP_NO_ID && wanted.line == TP_NO_ID;
    for (uint32_t i = tp_find_next_event_around(model, row->call, at); i != TP_NO_ID;
         i = tp_find_next_event_around(model, i, at)) {
        bool is_needed = is_wanted(model, &wanted, i);
        has_end |= is_needed;
        if (has_end && is_stack_kind(events[i].kind) && (is_needed || events[i].ts_ns > begin))
            add_frame(frames, (enum tp_kind)events[i].kind, tp_trace_event_name(model->trace, &events[i]));
    }
    reverse(frames);
}

/* Adds only what all possible calls show: module, line and operator. */
static void add_common_stack(const struct tp_model *model, const struct tp_joined_row *row, struct tp_vec *frames)
{
    const struct tp_trace *trace = model->trace;
    if (row->module != TP_NO_ID) {
        struct tp_str name = tp_trace_event_name(trace, &trace->events[model->modules.event[row->module]]);
        struct tp_str class = tp_frame_module_class(name);
        size_t size = sizeof MODULE_PREFIX - 1;
        if (row->is_bare_module && tp_str_starts(name, MODULE_PREFIX) && class.ptr == name.ptr + size)
            class = (struct tp_str){name.ptr, size + class.len};
        add_frame(frames, TP_KIND_MODULE, row->is_bare_module ? class : name);
    }
    if (row->line != TP_NO_ID)
        add_frame(frames, TP_KIND_FRAME, tp_frames_line_text(&trace->frames, row->line));
    if (row->op != TP_NO_ID)
        add_frame(frames, TP_KIND_OPERATOR, tp_trace_event_name(trace, tp_operator_work_event(model, row->op)));
}

void tp_captured_stack(const struct tp_model *model, uint32_t device, struct tp_vec *frames)
{
    const struct tp_joined_row *row = tp_joined_row_of(model, device);
    frames->count = 0;
    if (row && row->call != TP_NO_ID)
        add_stack_of_call(model, row, frames);
    else if (row)
        add_common_stack(model, row, frames);
}
