/* Implements compiled_lookup.h. */
#include "webreport/model/compiled_lookup.h"

#include "webreport/model/capture/parts.h"
#include "webreport/model/forward.h"
#include "webreport/trace/json/value.h"

const struct tp_compiled_call *tp_compiled_call_of_event(const struct tp_model *model, uint32_t event)
{
    const struct tp_compiled *compiled = &model->compiled;
    uint32_t low = 0, high = compiled->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compiled->calls[compiled->by_event[middle]].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    const struct tp_compiled_call *call = low < compiled->count ? &compiled->calls[compiled->by_event[low]] : NULL;
    return call && call->event == event ? call : NULL;
}

const struct tp_compiled_call *tp_compiled_call_of_operator(const struct tp_model *model, uint32_t op)
{
    const struct tp_compiled_call *call = NULL;
    for (; op != TP_NO_ID && model->compiled.count && !call; op = model->operators.parent[op])
        call = tp_compiled_call_of_event(model, model->operators.event[op]);
    return call;
}

struct tp_str tp_compiled_line_of_device(const struct tp_model *model, uint32_t device)
{
    const struct tp_compiled_source *source = model->compiled.of_device ? model->compiled.of_device[device] : NULL;
    const struct tp_compiled_call *call = tp_compiled_call_of_operator(model, model->devices.owner[device]);
    if (source && source->line.ptr)
        return source->line;
    return call ? call->line : (struct tp_str){NULL, 0};
}

struct tp_str tp_compiled_hash_of_event(const struct tp_model *model, uint32_t event, struct tp_arena *arena)
{
    const struct tp_capture_argument *argument = tp_capture_argument_of(model->trace, event);
    struct tp_str hash = {NULL, 0};
    if (argument && argument->hash != TP_NO_ID)
        hash = tp_value_text(arena, tp_strings_get(&model->trace->values, argument->hash));
    return hash.len ? hash : TP_STR("");
}

struct tp_str tp_compiled_hash_of_device(const struct tp_model *model, uint32_t device, struct tp_arena *arena)
{
    uint32_t op = tp_operator_of_device(model, device, NULL);
    const struct tp_event *e = tp_device_event(model, device);
    if (op == TP_NO_ID || tp_operator_event(model, op)->name != e->name)
        return TP_STR("");
    return tp_compiled_hash_of_event(model, model->operators.event[op], arena);
}

struct tp_str tp_code_line(const struct tp_model *model, uint32_t event)
{
    const struct tp_compiled_call *call = NULL;
    int64_t at = event == TP_NO_ID ? 0 : model->trace->events[event].ts_ns;
    bool has_lines = model->compiled.log && model->compiled.count;
    for (uint32_t i = has_lines ? event : TP_NO_ID; i != TP_NO_ID && !call; i = tp_find_next_event_around(model, i, at))
        call = tp_compiled_call_of_event(model, i);
    return call && call->source && call->source->line.ptr ? call->line : tp_work_line(model, event);
}
