/* Implements device_origin.h. */
#include "webreport/model/device_origin.h"

#include "webreport/model/capture/graph_annotations.h"
#include "webreport/model/compiled_lookup.h"
#include "webreport/model/forward.h"

static const struct tp_str NO_TEXT = {NULL, 0};

static struct tp_str text_or_null(struct tp_str text)
{
    return text.len ? text : NO_TEXT;
}

static struct tp_str captured_module(const struct tp_model *model, const struct tp_joined_row *row)
{
    if (row->module == TP_NO_ID)
        return NO_TEXT;
    struct tp_str name = tp_trace_event_name(model->trace, &model->trace->events[model->modules.event[row->module]]);
    return row->is_bare_module ? tp_frame_module_class(name) : tp_frame_module_name(name);
}

static struct tp_device_origin origin_by_capture(const struct tp_model *model, const struct tp_joined_row *row)
{
    return (struct tp_device_origin){.op = row->op,
                                     .module = captured_module(model, row),
                                     .via = "capture",
                                     .how = tp_join_how_text(row->how),
                                     .captured = row};
}

/* Returns "near" if the call starts just outside of its operator. */
static const char *how_launched(const struct tp_model *model, uint32_t launch, uint32_t op)
{
    const struct tp_event *call = tp_launch_event(model, launch), *owner = tp_operator_event(model, op);
    return owner->ts_ns <= call->ts_ns && call->ts_ns < tp_event_end(owner) ? NULL : "near";
}

static struct tp_device_origin origin_by_launch(const struct tp_model *model, uint32_t device, struct tp_arena *arena)
{
    uint32_t launch = model->devices.launch[device], op = model->devices.owner[device];
    struct tp_device_origin origin = {.op = TP_NO_ID};
    if (tp_is_graph_launched(model, device) || (launch == TP_NO_ID && op == TP_NO_ID)) {
        origin.via = tp_graph_annotation(model, device, arena).ptr ? "annotation" : NULL;
        return origin;
    }
    origin.op = op;
    origin.via = launch == TP_NO_ID ? "external id" : "launch";
    origin.how = launch == TP_NO_ID || op == TP_NO_ID ? NULL : how_launched(model, launch, op);
    uint32_t module = tp_module_event_of_device(model, device);
    if (module != TP_NO_ID)
        origin.module = tp_frame_module_name(tp_trace_event_name(model->trace, &model->trace->events[module]));
    return origin;
}

struct tp_str tp_device_line(const struct tp_model *model, uint32_t device)
{
    const struct tp_joined_row *row = tp_joined_row_of(model, device);
    uint32_t launch = model->devices.launch[device], op = model->devices.owner[device];
    if (row)
        return row->line == TP_NO_ID ? NO_TEXT : tp_frames_line_text(&model->trace->frames, row->line);
    if (tp_is_graph_launched(model, device) || (launch == TP_NO_ID && op == TP_NO_ID))
        return NO_TEXT;
    return text_or_null(
        tp_code_line(model, launch == TP_NO_ID ? model->operators.event[op] : model->launches.event[launch]));
}

struct tp_device_origin tp_device_origin(const struct tp_model *model, uint32_t device, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    const struct tp_joined_row *row = tp_joined_row_of(model, device);
    struct tp_device_origin origin = row ? origin_by_capture(model, row) : origin_by_launch(model, device, arena);
    const struct tp_event *op = origin.op == TP_NO_ID ? NULL : tp_operator_work_event(model, origin.op);
    if (op && (!row || row->has_shapes))
        origin.dims = text_or_null(tp_strings_get(&trace->values, trace->hosts[op->detail].dims));
    origin.line = tp_device_line(model, device);
    return origin;
}
