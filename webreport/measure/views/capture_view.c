/* Implements capture_view.h. */
#include "webreport/measure/views/capture_view.h"

#include "writer/base/keys.h"
#include "writer/base/limits.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def capture_defs[TP_CAPTURE_COLUMNS] = {
    {"file", "File", "", "Name of the trace with the captured graph.", TP_COLUMN_TEXT},
    {"index", "Number", "", "Number of the graph in its file, from 0.", TP_COLUMN_INT},
    {"batch", "Batch size", "", "Batch size for which the graph was captured; empty if unknown.", TP_COLUMN_INT},
    {"mode", "Mode", "", "Mode of the engine in which the graph was captured.", TP_COLUMN_TEXT},
    {"calls", "Captured calls", "", "Number of captured launches, copies and memory sets.", TP_COLUMN_INT},
    {"used", "Launches", "", "Number of graph launches whose kernels come from this graph.", TP_COLUMN_INT}};

static const struct tp_column_def launch_defs[TP_GRAPH_LAUNCH_COLUMNS] = {
    {"call", "Call", "", "Name of the call that launched the graph.", TP_COLUMN_TEXT},
    {"start_us", "Start", "us", "Start of the call since the first event.", TP_COLUMN_NS},
    {"kernels", "Operations", "", "Number of device operations of the launch.", TP_COLUMN_INT},
    {"batch", "Batch size", "", "Batch size of the launch, from the range around it; empty if unknown.", TP_COLUMN_INT},
    {"device_us", "Device time", "us", "Sum of the durations of the operations.", TP_COLUMN_NS},
    {"joined", "Joined", "", "Number of operations that were joined with a captured call.", TP_COLUMN_INT},
    {"by_name", "By name only", "", "Number of these operations that were joined by their name, not by their order.",
     TP_COLUMN_INT},
    {"share_percent", "Share", "%",
     "Joined operations as a share of the operations or of the captured calls, whichever are more; for a refused "
     "launch the best share.",
     TP_COLUMN_REAL},
    {"reason", "Reason", "", "Why the launch was not joined, or which part of the capture does not apply to it.",
     TP_COLUMN_TEXT},
    {"section", "From", "", "Captured graph, or the first of several possible ones; empty if none fits.",
     TP_COLUMN_TEXT}};

static const struct tp_column_def operator_defs[TP_CAPTURED_OPERATOR_COLUMNS] = {
    {"name", "{Operator}", "", "{Operator} around the captured call.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls, counted for each launch of a graph.", TP_COLUMN_INT},
    {"kernels", "Operations", "", "Number of device operations.", TP_COLUMN_INT},
    {"device_us", "Device time", "us", "Sum of the durations of the operations in the whole recording.", TP_COLUMN_NS},
    {"share_percent", "Of graph time", "%", "Device time as a share of the device time of all graph launches.",
     TP_COLUMN_REAL},
    {"module", "Module", "", "Class of the innermost module around the captured calls with the most time.",
     TP_COLUMN_TEXT},
    {"line", "Line", "", "Source line of the captured calls with the most time.", TP_COLUMN_TEXT}};

/* ---- captures and launches ---- */

static void fill_captures(struct tp_capture_view *view, const struct tp_joined *joined, struct tp_arena *arena)
{
    const struct tp_captures *captures = joined->captures;
    tp_table_init(&view->captures, arena, "captures", capture_defs, TP_CAPTURE_COLUMNS, captures->section_count);
    for (uint32_t i = 0; i < captures->section_count; i++) {
        const struct tp_capture_section *section = &captures->sections[i];
        tp_table_text(&view->captures, TP_CAPTURE_FILE)[i] = captures->files[section->file].name;
        tp_table_int(&view->captures, TP_CAPTURE_INDEX)[i] = section->index;
        tp_table_int(&view->captures, TP_CAPTURE_BATCH)[i] = section->batch;
        tp_table_text(&view->captures, TP_CAPTURE_MODE)[i] = section->mode;
        tp_table_int(&view->captures, TP_CAPTURE_CALLS)[i] = section->call_count;
    }
    for (uint32_t i = 0; i < joined->replay_count; i++)
        for (uint32_t s = 0; s < joined->replays[i].section_count; s++)
            tp_table_int(&view->captures, TP_CAPTURE_USED)[joined->replays[i].sections[s]]++;
}

static void fill_launch(struct tp_capture_view *view, const struct tp_model *model, uint32_t row)
{
    const struct tp_graph_replay *replay = &model->joined->replays[row];
    const struct tp_event *call = tp_launch_event(model, replay->launch);
    struct tp_table *table = &view->launches;
    tp_table_text(table, TP_GRAPH_LAUNCH_CALL)[row] = tp_trace_event_name(model->trace, call);
    tp_table_int(table, TP_GRAPH_LAUNCH_START)[row] = tp_sat_sub(call->ts_ns, model->first_ns);
    tp_table_int(table, TP_GRAPH_LAUNCH_KERNELS)[row] = replay->count;
    tp_table_int(table, TP_GRAPH_LAUNCH_BATCH)[row] = replay->batch;
    tp_table_int(table, TP_GRAPH_LAUNCH_DEVICE)[row] = replay->device_ns;
    tp_table_int(table, TP_GRAPH_LAUNCH_JOINED)[row] = replay->joined;
    tp_table_int(table, TP_GRAPH_LAUNCH_BY_NAME)[row] = replay->joined_by_name;
    tp_table_real(table, TP_GRAPH_LAUNCH_SHARE)[row] =
        replay->share_whole ? 100.0 * replay->share_part / replay->share_whole : 0;
}

static void fill_launches(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_joined *joined = model->joined;
    uint32_t rows = joined->replay_count < TP_MAX_GRAPH_LAUNCH_ROWS ? joined->replay_count : TP_MAX_GRAPH_LAUNCH_ROWS;
    tp_table_init(&view->launches, arena, "graph_launches", launch_defs, TP_GRAPH_LAUNCH_COLUMNS, rows);
    for (uint32_t i = 0; i < joined->replay_count; i++) {
        const struct tp_graph_replay *replay = &joined->replays[i];
        view->joined_launch_count += replay->joined > 0;
        view->kernel_count += replay->count;
        view->joined_count += replay->joined;
        view->device_ns = tp_sat_add(view->device_ns, replay->device_ns);
        if (i < rows)
            fill_launch(view, model, i);
    }
    view->launch_count = joined->replay_count;
}

/* ---- operators ---- */

/* An operator: sums over its device operations. */
struct group {
    uint32_t name; /* name id; TP_NO_ID for calls outside of operators */
    int64_t calls, kernels, ns;
};

/* Time of an operator with one module or one line. */
struct part {
    uint32_t group, text; /* text: name id of the module or id of the line */
    int64_t ns;
};

struct grouping {
    const struct tp_model *model;
    struct tp_keys names, calls, module_keys, line_keys;
    struct tp_vec groups;         /* elements: struct group */
    struct tp_vec modules, lines; /* elements: struct part */
};

static void add_part(struct tp_keys *keys, struct tp_vec *parts, uint32_t group, uint32_t text, int64_t ns)
{
    if (text == TP_NO_ID)
        return;
    uint32_t id = tp_keys_pair(keys, group, text);
    if (id == parts->count)
        *(struct part *)tp_vec_push(parts) = (struct part){group, text, 0};
    struct part *part = TP_AT(parts, struct part, id);
    part->ns = tp_sat_add(part->ns, ns);
}

static void add_operation(struct grouping *g, uint32_t device, const struct tp_joined_row *row)
{
    const struct tp_model *model = g->model;
    const struct tp_event *op = row->op == TP_NO_ID ? NULL : tp_operator_work_event(model, row->op);
    int64_t ns = tp_device_event(model, device)->dur_ns;
    uint32_t name = op ? op->name : TP_NO_ID, id = tp_keys_add(&g->names, &name);
    uint32_t call[2] = {row->op, model->devices.launch[device]}, call_count = tp_keys_count(&g->calls);
    if (id == g->groups.count)
        *(struct group *)tp_vec_push(&g->groups) = (struct group){.name = name};
    struct group *group = TP_AT(&g->groups, struct group, id);
    group->kernels++;
    group->ns = tp_sat_add(group->ns, ns);
    group->calls += tp_keys_add(&g->calls, call) == call_count && op;
    uint32_t module = row->module == TP_NO_ID ? TP_NO_ID : model->trace->events[model->modules.event[row->module]].name;
    add_part(&g->module_keys, &g->modules, id, module, ns);
    add_part(&g->line_keys, &g->lines, id, row->line, ns);
}

static int compare_groups(const void *context, uint32_t x, uint32_t y)
{
    const struct grouping *g = context;
    const struct group *a = TP_AT(&g->groups, struct group, x), *b = TP_AT(&g->groups, struct group, y);
    const struct tp_strings *names = &g->model->trace->names;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return tp_str_compare(tp_strings_get(names, a->name), tp_strings_get(names, b->name));
}

/* Returns for each group the text with the most time; TP_NO_ID without one. Of several, the first in the recording. */
static uint32_t *largest_parts(const struct grouping *g, const struct tp_vec *parts, struct tp_arena *arena)
{
    uint32_t *text = tp_arena_array(arena, g->groups.count, sizeof *text);
    int64_t *ns = tp_arena_array(arena, g->groups.count, sizeof *ns);
    memset(text, 0xFF, g->groups.count * sizeof *text);
    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = TP_AT(parts, struct part, i);
        if (text[part->group] == TP_NO_ID || part->ns > ns[part->group]) {
            text[part->group] = part->text;
            ns[part->group] = part->ns;
        }
    }
    return text;
}

static void fill_operators(struct tp_capture_view *view, const struct grouping *g, struct tp_arena *arena)
{
    const struct tp_trace *trace = g->model->trace;
    uint32_t count = (uint32_t)g->groups.count, *rows = tp_arena_array(arena, count, sizeof *rows);
    uint32_t *modules = largest_parts(g, &g->modules, arena), *lines = largest_parts(g, &g->lines, arena);
    struct tp_table *table = &view->operators;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    tp_sort_rows(rows, count, compare_groups, g, arena);
    tp_table_init(table, arena, "captured_operators", operator_defs, TP_CAPTURED_OPERATOR_COLUMNS, count);
    for (uint32_t row = 0; row < count; row++) {
        const struct group *group = TP_AT(&g->groups, struct group, rows[row]);
        uint32_t module = modules[rows[row]], line = lines[rows[row]];
        tp_table_text(table, TP_CAPTURED_OPERATOR_NAME)[row] = tp_strings_get(&trace->names, group->name);
        tp_table_int(table, TP_CAPTURED_OPERATOR_CALLS)[row] = group->calls;
        tp_table_int(table, TP_CAPTURED_OPERATOR_KERNELS)[row] = group->kernels;
        tp_table_int(table, TP_CAPTURED_OPERATOR_DEVICE)[row] = group->ns;
        tp_table_real(table, TP_CAPTURED_OPERATOR_SHARE)[row] = 100 * tp_ratio(group->ns, view->device_ns);
        tp_table_text(table, TP_CAPTURED_OPERATOR_MODULE)[row] =
            module == TP_NO_ID ? TP_STR("") : tp_frame_module_class(trace->names.items[module]);
        tp_table_text(table, TP_CAPTURED_OPERATOR_LINE)[row] =
            line == TP_NO_ID ? TP_STR("") : tp_frames_line_text(&trace->frames, line);
    }
}

static void build_operators(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct grouping g = {.model = model,
                         .groups = TP_VEC(arena, struct group),
                         .modules = TP_VEC(arena, struct part),
                         .lines = TP_VEC(arena, struct part)};
    tp_keys_init(&g.names, arena, 1);
    tp_keys_init(&g.calls, arena, 2);
    tp_keys_init(&g.module_keys, arena, 2);
    tp_keys_init(&g.line_keys, arena, 2);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_joined_row *row = tp_joined_row_of(model, k);
        if (!row)
            continue;
        bool is_linked = row->op != TP_NO_ID && model->devices.owner[k] == TP_NO_ID;
        int64_t ns = tp_device_event(model, k)->dur_ns;
        view->joined_ns = tp_sat_add(view->joined_ns, ns);
        view->linked_count += is_linked;
        view->linked_ns = tp_sat_add(view->linked_ns, is_linked ? ns : 0);
        add_operation(&g, k, row);
    }
    fill_operators(view, &g, arena);
}

void tp_capture_view_build(struct tp_capture_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    *view = (struct tp_capture_view){.is_present = model->joined != NULL};
    if (!view->is_present)
        return;
    fill_captures(view, model->joined, arena);
    fill_launches(view, model, arena);
    build_operators(view, model, arena);
    view->captures.title = "Captured graphs";
    view->launches.title = "Launches of graphs";
    view->operators.title = "{Operators} of graph kernels";
}

#define F struct tp_capture_view
static const struct tp_json_field fields[] = {
    {"summary", TP_PLAIN(F, summary), TP_DEFINITION("one line about the kernels that were joined, or why none was")},
    {"launches", TP_PLAIN(F, launch_count), TP_DEFINITION("number of graph launches with device operations")},
    {"launches_joined", TP_PLAIN(F, joined_launch_count),
     TP_DEFINITION("number of graph launches whose operations were joined with captured calls")},
    {"operations", TP_PLAIN(F, kernel_count), TP_DEFINITION("number of device operations of graph launches")},
    {"joined", TP_PLAIN(F, joined_count), TP_DEFINITION("number of these operations that were joined")},
    {"device_us", TP_US(F, device_ns), TP_DEFINITION("device time of graph launches")},
    {"joined_us", TP_US(F, joined_ns), TP_DEFINITION("device time of joined operations")},
    {"captures", TP_PLAIN(F, captures), TP_DEFINITION("captured graphs of capture traces and of the trace itself")},
    {"graph_launches", TP_PLAIN(F, launches), TP_DEFINITION("launches of graphs, sorted by start")},
    {"operators", TP_PLAIN(F, operators),
     TP_DEFINITION("operators of joined operations, from the capture trace: they have no host time in this trace")},
};
#undef F
const struct tp_fields tp_capture_view_fields = TP_FIELDS("Captured graphs", fields);
