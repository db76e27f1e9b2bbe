/* Implements compiled_view.h: groups the calls of compiled regions. */
#include "webreport/measure/views/compiled_view.h"

#include "webreport/model/compiled_lookup.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/json_out.h"
#include "writer/base/keys.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def column_defs[TP_COMPILED_COLUMNS] = {
    {"kernel", "Kernel", "", "Name of the kernel or operator that the compiled code calls.", TP_COLUMN_TEXT},
    {"family", "Family", "", "Name of a generated kernel without its number.", TP_COLUMN_TEXT},
    {"key", "Key", "", "Name of the call in the artifacts of torch.compile.", TP_COLUMN_TEXT},
    {"backward", "Backward", "", "Whether the call is part of the backward pass.", TP_COLUMN_BOOL},
    {"region", "Region", "", "Name of the compiled graph or generated function.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls in the whole recording.", TP_COLUMN_INT},
    {"time_us", "CPU time", "us", "Duration of the calls on the CPU.", TP_COLUMN_NS},
    {"device_time_us", "{GPU} time", "us", "Time of the device operations of the calls.", TP_COLUMN_NS},
    {"line", "Source line", "",
     "Line of the program that the code of the call comes from. Without artifacts, the line that calls the region.",
     TP_COLUMN_TEXT},
    {"lines", "Source lines", "", "All lines that the code of the call comes from.", TP_COLUMN_JSON},
    {"via", "Known from", "", "inductor: the artifacts name the line; caller: the line calls the region.",
     TP_COLUMN_WORD},
    {"nodes", "Nodes", "", "Nodes of the FX graph that the code of the call comes from.", TP_COLUMN_JSON}};

/* One row: the calls with the same kernel, region, line and entry in the artifacts. */
struct row {
    struct tp_str kernel, region, line;
    const struct tp_compiled_source *source; /* NULL: none */
    bool is_backward, is_inductor;
    int64_t calls, host_ns, device_ns;
};

struct rows {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_strings lines;
    struct tp_keys keys; /* width 5: ids of kernel, region, line, key, and whether the call is backward */
    struct tp_strings sources;
    struct tp_vec rows; /* elements: struct row */
};

/* Returns the row of a call, which is added if it is missing. region: event; TP_NO_ID: outside of all regions. */
static struct row *find_row(struct rows *r, const struct row *row, uint32_t name, uint32_t region)
{
    const struct tp_event *events = r->model->trace->events;
    uint32_t key[] = {name, region == TP_NO_ID ? TP_NO_ID : events[region].name,
                      row->line.ptr ? tp_strings_add(&r->lines, row->line) : TP_NO_ID,
                      row->source ? tp_strings_add(&r->sources, row->source->key) : TP_NO_ID, row->is_backward};
    uint32_t id = tp_keys_add(&r->keys, key);
    if (id == r->rows.count)
        *(struct row *)tp_vec_push(&r->rows) = *row;
    return TP_AT(&r->rows, struct row, id);
}

/* Returns the name of a region without the words around the hash of its graph. */
static struct tp_str region_name(struct tp_str name)
{
    const size_t before = sizeof "## Call CompiledFxGraph " - 1;
    if (tp_str_starts(name, "## Call CompiledFxGraph ") && tp_str_ends(name, " ##") && name.len > before + 3)
        return (struct tp_str){name.ptr + before, name.len - before - 3};
    return name;
}

static void add_calls(struct rows *r)
{
    const struct tp_compiled *compiled = &r->model->compiled;
    const struct tp_trace *trace = r->model->trace;
    for (uint32_t i = 0; i < compiled->count; i++) {
        const struct tp_compiled_call *call = &compiled->calls[i];
        const struct tp_event *e = &trace->events[call->event];
        struct row row = {.kernel = tp_trace_event_name(trace, e),
                          .region = region_name(tp_trace_event_name(trace, &trace->events[call->region])),
                          .line = call->line,
                          .source = call->source,
                          .is_backward = call->is_backward,
                          .is_inductor = call->source && call->source->line.ptr};
        struct row *to = find_row(r, &row, e->name, call->region);
        to->calls++;
        to->host_ns = tp_sat_add(to->host_ns, e->dur_ns);
    }
}

/* Adds the device time of the operators that are calls. */
static void add_device_times(struct rows *r)
{
    const struct tp_operators *ops = &r->model->operators;
    const struct tp_trace *trace = r->model->trace;
    for (uint32_t op = 0; op < ops->count && r->model->devices.count; op++) {
        const struct tp_compiled_call *call = tp_compiled_call_of_event(r->model, ops->event[op]);
        if (!call)
            continue;
        struct row row = {.line = call->line, .source = call->source, .is_backward = call->is_backward};
        struct row *to = find_row(r, &row, trace->events[call->event].name, call->region);
        to->device_ns = tp_sat_add(to->device_ns, tp_narrow_get(&ops->device_total, op));
    }
}

/* Adds the kernels outside of all regions whose names the artifacts have. */
static void add_kernels_outside(struct rows *r)
{
    const struct tp_compiled *compiled = &r->model->compiled;
    for (uint32_t i = 0; i < r->model->devices.count && compiled->of_device; i++) {
        const struct tp_compiled_source *source = compiled->of_device[i];
        const struct tp_event *e = tp_device_event(r->model, i);
        if (!source || tp_compiled_call_of_operator(r->model, r->model->devices.owner[i]))
            continue;
        struct row row = {.kernel = tp_trace_event_name(r->model->trace, e),
                          .region = {NULL, 0},
                          .line = source->line,
                          .source = source,
                          .is_inductor = source->line.ptr != NULL};
        struct row *to = find_row(r, &row, e->name, TP_NO_ID);
        to->calls++;
        to->device_ns = tp_sat_add(to->device_ns, e->dur_ns);
    }
}

/* Returns the texts as a JSON list, at most TP_MAX_COMPILE_SHOWN of them. */
static struct tp_str list_text(struct tp_arena *arena, const struct tp_str *texts, size_t count)
{
    struct tp_buf buf;
    struct tp_json json;
    tp_buf_init(&buf, 0);
    tp_json_init(&json, &buf);
    tp_json_array(&json);
    for (size_t i = 0; i < count && i < TP_MAX_COMPILE_SHOWN; i++)
        tp_json_str(&json, texts[i]);
    tp_json_array_end(&json);
    size_t size = buf.size;
    return (struct tp_str){tp_buf_move(&buf, arena), size};
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct row *a = x, *b = y;
    (void)context;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    if (a->host_ns != b->host_ns)
        return a->host_ns > b->host_ns ? -1 : 1;
    int order = tp_str_compare(a->kernel, b->kernel);
    if (!order && a->source && b->source)
        order = tp_str_compare(a->source->key, b->source->key);
    return order;
}

static void fill_row(struct tp_table *table, size_t at, const struct row *row, const struct tp_compile_log *log,
                     struct tp_arena *arena)
{
    const struct tp_compiled_source *source = row->source;
    const struct tp_str none = {NULL, 0};
    tp_table_text(table, TP_COMPILED_KERNEL)[at] = row->kernel;
    tp_table_text(table, TP_COMPILED_FAMILY)[at] = tp_compile_kernel_family(row->kernel);
    tp_table_text(table, TP_COMPILED_KEY)[at] = source ? source->key : none;
    tp_table_bool(table, TP_COMPILED_BACKWARD)[at] = row->is_backward;
    tp_table_text(table, TP_COMPILED_REGION)[at] = row->region;
    tp_table_int(table, TP_COMPILED_CALLS)[at] = row->calls;
    tp_table_int(table, TP_COMPILED_HOST)[at] = row->host_ns;
    tp_table_int(table, TP_COMPILED_DEVICE)[at] = row->device_ns;
    tp_table_text(table, TP_COMPILED_LINE)[at] = row->line;
    tp_table_text(table, TP_COMPILED_LINES)[at] =
        list_text(arena, source ? source->lines : NULL, source ? source->line_count : 0);
    tp_table_text(table, TP_COMPILED_VIA)[at] = !row->line.ptr     ? none
                                                : row->is_inductor ? TP_STR("inductor")
                                                                   : TP_STR("caller");
    const struct tp_str *nodes = source ? (const struct tp_str *)log->nodes.data : NULL;
    tp_table_text(table, TP_COMPILED_NODES)[at] =
        list_text(arena, nodes ? nodes + source->call->first_node : NULL, nodes ? source->call->node_count : 0);
}

void tp_compiled_view_build(struct tp_compiled_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct rows r = {.model = model, .arena = arena, .rows = TP_VEC(arena, struct row)};
    *view = (struct tp_compiled_view){0};
    if (!model->compiled.count && !model->compiled.of_device)
        return;
    tp_strings_init(&r.lines, arena, 0);
    tp_strings_init(&r.sources, arena, 0);
    tp_keys_init(&r.keys, arena, 5);
    add_calls(&r);
    add_device_times(&r);
    add_kernels_outside(&r);
    tp_merge_sort(arena, r.rows.data, r.rows.count, sizeof(struct row), compare_rows, NULL);
    view->is_present = r.rows.count > 0;
    tp_table_init(&view->calls, arena, "compiled", column_defs, TP_COMPILED_COLUMNS, r.rows.count);
    view->calls.title = "Compiled code";
    for (size_t i = 0; i < r.rows.count; i++) {
        const struct row *row = TP_AT(&r.rows, struct row, i);
        view->call_count += (uint64_t)row->calls;
        view->line_count += row->is_inductor ? (uint64_t)row->calls : 0;
        fill_row(&view->calls, i, row, model->compiled.log, arena);
    }
}
