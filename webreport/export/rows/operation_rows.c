/* Lists the origin of each device operation: see operation_rows.h. */
#include "webreport/export/rows/operation_rows.h"

#include "webreport/model/device_origin.h"
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

static void fill_operation(const struct tp_rows *rows, uint32_t device, struct tp_rows_cell *cell)
{
    const struct tp_model *model = rows->model;
    const struct tp_trace *trace = model->trace;
    const struct tp_event *e = tp_device_event(model, device);
    struct tp_device_origin origin = tp_device_origin(model, device, rows->arena);
    const struct tp_event *op = origin.op == TP_NO_ID ? NULL : tp_operator_work_event(model, origin.op);
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
    cell->integer = origin.captured ? origin.captured->one_of : TP_NULL_INT;
}

const struct tp_rows_table tp_operation_rows_table = {
    "operations",     "one row per device operation, with the operator, module and source line from which it comes",
    columns,          sizeof columns / sizeof *columns,
    count_operations, fill_operation};
