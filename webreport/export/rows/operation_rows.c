/* Lists the origin of each device operation: see operation_rows.h. */
#include "webreport/export/rows/operation_rows.h"

#include "webreport/model/capture/graph_annotations.h"
#include "webreport/model/forward.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

static const struct tp_rows_column columns[] = {
    {"name", TP_ROWS_TEXT, "name of the device operation as recorded", true},
    {"start_ns", TP_ROWS_INT, "start of the device operation, nanoseconds since the first event", true},
    {"dur_ns", TP_ROWS_INT, "duration of the device operation, nanoseconds", false},
    {"device", TP_ROWS_INT, "number of the device", false},
    {"stream", TP_ROWS_INT, "number of the stream", false},
    {"owner", TP_ROWS_TEXT, "name of the operator to which the operation belongs", false},
    {"input_dims", TP_ROWS_TEXT, "shapes of the operator's inputs, as JSON", false},
    {"module", TP_ROWS_TEXT, "name of the innermost module call", false},
    {"line", TP_ROWS_TEXT, "source line that caused the operation: path(line): function", false},
    {"via", TP_ROWS_TEXT,
     "how the owner was found: launch, external id, capture (the call that captured the graph), or annotation; null: "
     "unknown",
     false},
    {"how", TP_ROWS_TEXT,
     "for capture: joined by order, name, place or node id; for launch: near, if the call starts just outside of the "
     "operator",
     false},
    {"one_of", TP_ROWS_INT,
     "for capture: number of captured calls from which the operation may come; from 2 on, only what all of them show "
     "is listed",
     false},
};

static uint32_t count_operations(const struct tp_rows *rows)
{
    return rows->model->devices.count;
}

/* What is known about the origin of an operation. TP_NO_ID or ptr NULL if unknown. */
struct origin {
    uint32_t op;
    struct tp_str dims, module, line;
    const char *via, *how;
};

static struct tp_str text_or_null(struct tp_str text)
{
    return text.len ? text : (struct tp_str){NULL, 0};
}

static struct tp_str module_text(const struct tp_model *model, uint32_t module, bool is_bare)
{
    if (module == TP_NO_ID)
        return (struct tp_str){NULL, 0};
    struct tp_str name = tp_trace_event_name(model->trace, &model->trace->events[model->modules.event[module]]);
    return is_bare ? tp_frame_module_class(name) : tp_frame_module_name(name);
}

static struct origin origin_by_capture(const struct tp_model *model, const struct tp_joined_row *row)
{
    struct origin origin = {.op = row->op, .via = "capture", .how = tp_join_how_text(row->how)};
    origin.module = module_text(model, row->module, row->is_bare_module);
    if (row->line != TP_NO_ID)
        origin.line = tp_frames_line_text(&model->trace->frames, row->line);
    return origin;
}

static struct origin origin_by_launch(const struct tp_model *model, uint32_t device, struct tp_arena *arena)
{
    uint32_t launch = model->devices.launch[device], op = model->devices.owner[device];
    struct origin origin = {.op = op};
    bool is_graph = tp_is_graph_launched(model, device);
    if (is_graph || (launch == TP_NO_ID && op == TP_NO_ID)) {
        origin.op = TP_NO_ID;
        origin.via = tp_graph_annotation(model, device, arena).ptr ? "annotation" : NULL;
        return origin;
    }
    origin.via = launch == TP_NO_ID ? "external id" : "launch";
    if (launch != TP_NO_ID && op != TP_NO_ID) {
        const struct tp_event *call = tp_launch_event(model, launch), *owner = tp_operator_event(model, op);
        bool is_inside = owner->ts_ns <= call->ts_ns && call->ts_ns < tp_event_end(owner);
        origin.how = is_inside ? NULL : "near";
    }
    uint32_t module = tp_module_event_of_device(model, device);
    if (module != TP_NO_ID)
        origin.module = tp_frame_module_name(tp_trace_event_name(model->trace, &model->trace->events[module]));
    origin.line = text_or_null(
        tp_work_line(model, launch == TP_NO_ID ? model->operators.event[op] : model->launches.event[launch]));
    return origin;
}

static void fill_operation(const struct tp_rows *rows, uint32_t device, struct tp_rows_cell *cell)
{
    const struct tp_model *model = rows->model;
    const struct tp_trace *trace = model->trace;
    const struct tp_event *e = tp_device_event(model, device);
    const struct tp_joined_row *row = tp_joined_row_of(model, device);
    struct origin origin = row ? origin_by_capture(model, row) : origin_by_launch(model, device, rows->arena);
    const struct tp_event *op = origin.op == TP_NO_ID ? NULL : tp_operator_work_event(model, origin.op);
    if (op && (!row || row->has_shapes))
        origin.dims = text_or_null(tp_strings_get(&trace->values, trace->hosts[op->detail].dims));
    cell++->text = tp_trace_event_name(trace, e);
    cell++->integer = tp_sat_sub(e->ts_ns, rows->first_ns);
    cell++->integer = e->dur_ns;
    cell++->integer = model->gpus[model->devices.gpu[device]].id;
    cell++->integer = tp_stream_number(model, e);
    cell++->text = op ? tp_trace_event_name(trace, op) : (struct tp_str){NULL, 0};
    cell++->text = origin.dims;
    cell++->text = origin.module;
    cell++->text = origin.line;
    cell++->text = origin.via ? tp_str_of(origin.via) : (struct tp_str){NULL, 0};
    cell++->text = origin.how ? tp_str_of(origin.how) : (struct tp_str){NULL, 0};
    cell->integer = row ? row->one_of : TP_NULL_INT;
}

const struct tp_rows_table tp_operation_rows_table = {
    "operations",     "one row per device operation, with the operator, module and source line from which it comes",
    columns,          sizeof columns / sizeof *columns,
    count_operations, fill_operation};
