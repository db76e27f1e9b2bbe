/* Implements captures.h: finds the times in which the program captures CUDA graphs. */
#include "webreport/measure/verdict/captures.h"

#include "webreport/model/numbers.h"

static bool is_capture_begin(struct tp_str name)
{
    return tp_str_find(name, "StreamBeginCapture") >= 0;
}

static bool is_capture_end(struct tp_str name)
{
    return tp_str_find(name, "StreamEndCapture") >= 0;
}

static bool has_captures(const struct tp_model *model)
{
    const struct tp_strings *names = &model->trace->names;
    for (uint32_t n = 0; n < names->count; n++)
        if (is_capture_begin(names->items[n]))
            return true;
    return false;
}

static void add_thread(struct tp_vec *pieces, const struct tp_model *model, uint32_t thread)
{
    bool is_open = false;
    int64_t start_ns = 0, last_ns = 0;
    for (uint32_t i = model->launches.thread_first[thread]; i < model->launches.thread_first[thread + 1]; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        struct tp_str name = tp_trace_event_name(model->trace, call);
        last_ns = tp_ns_max(last_ns, tp_event_end(call));
        if (!is_open && is_capture_begin(name)) {
            start_ns = call->ts_ns;
            is_open = true;
        } else if (is_open && is_capture_end(name)) {
            tp_intervals_push(pieces, start_ns, tp_event_end(call));
            is_open = false;
        }
    }
    if (is_open)
        tp_intervals_push(pieces, start_ns, last_ns);
}

struct tp_intervals tp_captures_find(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    if (!has_captures(model))
        return (struct tp_intervals){0};
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        add_thread(&pieces, model, t);
    return tp_intervals_from_vec(&pieces);
}

bool tp_captures_contain_all_launches(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_intervals captures = tp_captures_find(model, arena);
    for (uint32_t i = 0; captures.count && i < model->launches.count; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        if (tp_str_find(tp_trace_event_name(model->trace, call), "Launch") >= 0 &&
            !tp_intervals_contain(captures, call->ts_ns))
            return false;
    }
    return captures.count > 0;
}
