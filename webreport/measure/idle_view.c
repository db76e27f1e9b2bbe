/* Idle view of each device: totals, steps and lines. The flame's tree: idle_flame.c. See idle_view.h. */
#include "webreport/measure/idle_view.h"

#include "webreport/measure/idle_flame.h"
#include "webreport/model/host_gaps.h"
#include "writer/base/sort.h"

/* A trace may name any number of devices and steps; a real one has a few. */
enum { MAX_STEP_ROWS = 1 << 17 };

static const struct tp_column_def step_columns[TP_IDLE_STEP_COLUMNS] = {
    {"name", "Step", "", "Name of the step's mark.", TP_COLUMN_TEXT},
    {"start_us", "Start", "us", "Start of the window, from the start of the trace.", TP_COLUMN_NS},
    {"duration_us", "Host", "us", "Length of the step on the host.", TP_COLUMN_NS},
    {"window_us", "Window", "us", "What is looked at: the step within the recorded device work.", TP_COLUMN_NS},
    {"busy_us", "Busy", "us", "Time in which at least one operation ran on the device.", TP_COLUMN_NS},
    {"gaps", "Gaps", "", "Times without device work in the window.", TP_COLUMN_INT},
    {"total_us", "Idle", "us", "Time without device work.", TP_COLUMN_NS},
    {"host_us", "Host late", "us", "Idle while the next operation was not yet launched.", TP_COLUMN_NS},
    {"dependency_us", "Dependency", "us", "Idle although the next operation was queued already.", TP_COLUMN_NS},
    {"unknown_us", "Unknown", "us", "Idle before an operation whose launch was not recorded.", TP_COLUMN_NS},
    {"in_graph_us", "In graphs", "us", "Part of Dependency between operations of a graph launch.", TP_COLUMN_NS},
    {"total_percent", "Idle", "%", "Idle, of the window.", TP_COLUMN_REAL},
    {"host_percent", "Host late", "%", "Idle with the host late, of the window.", TP_COLUMN_REAL},
    {"dependency_percent", "Dependency", "%", "Idle by dependency, of the window.", TP_COLUMN_REAL},
    {"unknown_percent", "Unknown", "%", "Idle for unknown reasons, of the window.", TP_COLUMN_REAL},
};

static const struct tp_column_def line_columns[] = {
    {"kind", "Kind", "", "What the text is: a project line, an annotation, an operator ..", TP_COLUMN_TEXT},
    {"line", "Host at", "", "Innermost project line of the thread that launches the next operation.", TP_COLUMN_TEXT},
    {"ns", "Idle", "ns", "Idle time of the device while the host was there.", TP_COLUMN_INT},
    {"host_ns", "Host late", "ns", "Part of it before operations that were not yet launched.", TP_COLUMN_INT},
    {"percent", "Share", "%", "Of the device's idle time.", TP_COLUMN_REAL},
};

/* Idle time within [a, b). */
static struct tp_idle_split split(const struct tp_host_device *device, int64_t a, int64_t b)
{
    struct tp_idle_split s = {.window_ns = tp_ns_minus(b, a)};
    for (uint32_t i = tp_device_gap_after(device, a); i < device->gap_count && device->gaps[i].a < b; i++) {
        const struct tp_gap *gap = &device->gaps[i];
        int64_t ns = tp_ns_minus(tp_ns_min(gap->b, b), tp_ns_max(gap->a, a));
        if (ns <= 0)
            continue;
        s.gap_count++;
        s.total_ns = tp_ns_plus(s.total_ns, ns);
        if (gap->class == TP_GAP_HOST)
            s.host_ns = tp_ns_plus(s.host_ns, ns);
        else if (gap->class == TP_GAP_UNKNOWN)
            s.unknown_ns = tp_ns_plus(s.unknown_ns, ns);
        else
            s.dependency_ns = tp_ns_plus(s.dependency_ns, ns);
        if (gap->is_in_graph)
            s.in_graph_ns = tp_ns_plus(s.in_graph_ns, ns);
    }
    return s;
}

static void fill_step(struct tp_table *table, uint32_t row, const struct tp_host *host,
                      const struct tp_host_device *device)
{
    const struct tp_host_step *step = &host->steps[row];
    int64_t a = step->window_start, b = step->window_end;
    struct tp_idle_split s = split(device, a, b);
    tp_table_text(table, TP_IDLE_STEP_NAME)[row] = step->name;
    tp_table_int(table, TP_IDLE_STEP_START)[row] = tp_ns_minus(a, host->start);
    tp_table_int(table, TP_IDLE_STEP_DURATION)[row] = tp_ns_minus(step->end, step->start);
    tp_table_int(table, TP_IDLE_STEP_WINDOW)[row] = s.window_ns;
    tp_table_int(table, TP_IDLE_STEP_BUSY)[row] = tp_intervals_length_within(device->busy, a, b);
    tp_table_int(table, TP_IDLE_STEP_GAPS)[row] = s.gap_count;
    tp_table_int(table, TP_IDLE_STEP_IDLE)[row] = s.total_ns;
    tp_table_int(table, TP_IDLE_STEP_HOST)[row] = s.host_ns;
    tp_table_int(table, TP_IDLE_STEP_DEPENDENCY)[row] = s.dependency_ns;
    tp_table_int(table, TP_IDLE_STEP_UNKNOWN)[row] = s.unknown_ns;
    tp_table_int(table, TP_IDLE_STEP_IN_GRAPH)[row] = s.in_graph_ns;
    tp_table_real(table, TP_IDLE_STEP_IDLE_PERCENT)[row] = tp_percent(s.total_ns, s.window_ns);
    tp_table_real(table, TP_IDLE_STEP_HOST_PERCENT)[row] = tp_percent(s.host_ns, s.window_ns);
    tp_table_real(table, TP_IDLE_STEP_DEPENDENCY_PERCENT)[row] = tp_percent(s.dependency_ns, s.window_ns);
    tp_table_real(table, TP_IDLE_STEP_UNKNOWN_PERCENT)[row] = tp_percent(s.unknown_ns, s.window_ns);
}

enum work { WORK_COMPUTE, WORK_COMMUNICATION, WORK_COPY, WORK_KINDS };

static enum work work_of(const struct tp_host *host, uint32_t op)
{
    if (tp_old_role(tp_op_event(host, op)) != TP_KIND_KERNEL)
        return WORK_COPY;
    return tp_op_is_communication(host, op) ? WORK_COMMUNICATION : WORK_COMPUTE;
}

static void measure_work(struct tp_idle_device *out, struct tp_host *host, const struct tp_host_device *device)
{
    struct tp_vec pieces[WORK_KINDS];
    struct tp_intervals u[WORK_KINDS];
    for (int w = 0; w < WORK_KINDS; w++)
        pieces[w] = TP_VEC(host->arena, struct tp_interval);
    for (uint32_t i = 0; i < device->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, device->ops[i]);
        tp_intervals_push(&pieces[work_of(host, device->ops[i])], e->ts_ns, tp_event_end(e));
        out->sum_ns = tp_ns_plus(out->sum_ns, e->dur_ns);
    }
    for (int w = 0; w < WORK_KINDS; w++)
        u[w] = tp_intervals_of(&pieces[w]);
    out->compute_ns = tp_intervals_length(u[WORK_COMPUTE]);
    out->communication_ns = tp_intervals_length(u[WORK_COMMUNICATION]);
    out->copy_ns = tp_intervals_length(u[WORK_COPY]);
    out->exposed_communication_ns =
        out->communication_ns - tp_intervals_meet_length(u[WORK_COMMUNICATION], u[WORK_COMPUTE]);
    struct tp_intervals alone = tp_intervals_minus(host->arena, u[WORK_COPY], u[WORK_COMPUTE]);
    out->exposed_copy_ns = tp_intervals_length(alone) - tp_intervals_meet_length(alone, u[WORK_COMMUNICATION]);
    for (int w = 0; w < WORK_KINDS; w++)
        tp_arena_drop(host->arena, pieces[w].data, pieces[w].capacity * sizeof(struct tp_interval));
}

static void build_by_line(struct tp_idle_device *out, const struct tp_host *host, const struct tp_idle_flame *flame,
                          struct tp_arena *arena)
{
    const struct tp_idle_line *lines = flame->lines.data;
    tp_table_init(&out->by_line, arena, "idle_by_line", line_columns, 5, flame->lines.count);
    out->by_line.title = "Idle device by host line";
    for (size_t i = 0; i < flame->lines.count; i++) {
        tp_table_text(&out->by_line, TP_IDLE_LINE_KIND)[i] = tp_str_of(tp_host_fold_kind_text(lines[i].fold.kind));
        tp_table_text(&out->by_line, TP_IDLE_LINE_LINE)[i] = tp_host_fold_text(host, lines[i].fold);
        tp_table_int(&out->by_line, TP_IDLE_LINE_NS)[i] = lines[i].ns;
        tp_table_int(&out->by_line, TP_IDLE_LINE_HOST)[i] = lines[i].host_ns;
        tp_table_real(&out->by_line, TP_IDLE_LINE_PERCENT)[i] = tp_percent(lines[i].ns, flame->total_ns);
    }
}

static void build_flame(struct tp_idle_device *out, struct tp_host *host, const struct tp_host_device *device,
                        bool is_walked, struct tp_arena *arena)
{
    struct tp_idle_flame flame = {0};
    if (is_walked)
        tp_idle_flame_walk(&flame, host, device, arena);
    out->flame_total_ns = flame.total_ns;
    out->fallback_thread_ns = flame.fallback_ns;
    build_by_line(out, host, &flame, arena);
    tp_idle_flame_fill(out, host, &flame, arena);
}

static void build_device(struct tp_idle_device *out, struct tp_host *host, const struct tp_host_device *device,
                         uint32_t *step_rows, struct tp_arena *arena)
{
    out->device = device->number;
    out->operation_count = device->op_count;
    out->stream_count = device->stream_count;
    out->window_start_ns = tp_ns_minus(device->first, host->start);
    out->window_ns = tp_ns_minus(device->last, device->first);
    out->busy_ns = tp_intervals_length(device->busy);
    out->busy_percent = tp_percent(out->busy_ns, out->window_ns);
    measure_work(out, host, device);
    out->sum_over_union = out->busy_ns ? (double)out->sum_ns / (double)out->busy_ns : 0.0;
    out->idle = split(device, device->first, device->last);
    bool has_room = host->step_count <= *step_rows;
    uint32_t steps = has_room ? host->step_count : 0;
    *step_rows -= steps;
    tp_table_init(&out->steps, arena, "idle_steps", step_columns, TP_IDLE_STEP_COLUMNS, steps);
    out->steps.title = "Idle device by step";
    for (uint32_t i = 0; i < steps; i++)
        fill_step(&out->steps, i, host, device);
}

void tp_idle_build(struct tp_idle_view *view, struct tp_host *host, bool has_flame, struct tp_arena *arena)
{
    uint32_t step_rows = MAX_STEP_ROWS;
    view->device_count = host->device_count;
    view->devices = tp_arena_array(arena, host->device_count, sizeof *view->devices);
    for (uint32_t d = 0; d < host->device_count; d++) {
        build_device(&view->devices[d], host, &host->devices[d], &step_rows, arena);
        build_flame(&view->devices[d], host, &host->devices[d], has_flame && d < TP_IDLE_FLAME_DEVICES, arena);
    }
}

/* ---- JSON ---- */

static void split_json(const struct tp_idle_split *s, struct tp_json *json)
{
    tp_json_key(json, "idle");
    tp_json_object(json);
    tp_json_member_int(json, "gaps", s->gap_count);
    tp_json_member_us(json, "total_us", s->total_ns);
    tp_json_member_us(json, "host_us", s->host_ns);
    tp_json_member_us(json, "dependency_us", s->dependency_ns);
    tp_json_member_us(json, "unknown_us", s->unknown_ns);
    tp_json_member_us(json, "in_graph_us", s->in_graph_ns);
    tp_json_member_real(json, "total_percent", tp_percent(s->total_ns, s->window_ns));
    tp_json_member_real(json, "host_percent", tp_percent(s->host_ns, s->window_ns));
    tp_json_member_real(json, "dependency_percent", tp_percent(s->dependency_ns, s->window_ns));
    tp_json_member_real(json, "unknown_percent", tp_percent(s->unknown_ns, s->window_ns));
    tp_json_object_end(json);
}

static void steps_json(const struct tp_table *steps, struct tp_json *json)
{
    tp_json_key(json, "steps");
    tp_json_array(json);
    for (size_t row = 0; row < steps->row_count; row++) {
        tp_json_object(json);
        for (unsigned c = 0; c < steps->column_count; c++) {
            if (c == TP_IDLE_STEP_GAPS) {
                tp_json_key(json, "idle");
                tp_json_object(json);
            }
            tp_json_key(json, steps->defs[c].name);
            tp_table_cell_json(steps, c, row, json);
        }
        tp_json_object_end(json);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

/* Frames of a node, outermost first: [kind, name] each. path has room for the deepest one. */
static void frames_json(const struct tp_idle_device *d, uint32_t node, uint32_t *path, struct tp_json *json)
{
    uint32_t depth = 0;
    for (uint32_t n = node; n; n = d->nodes[n].parent)
        path[depth++] = n;
    tp_json_array(json);
    for (uint32_t i = depth; i-- > 0;) {
        tp_json_array(json);
        tp_json_text(json, tp_frame_kind_text(d->nodes[path[i]].kind));
        tp_json_str(json, d->nodes[path[i]].text);
        tp_json_array_end(json);
    }
    tp_json_array_end(json);
}

static void flame_json(const struct tp_idle_device *d, struct tp_json *json)
{
    uint32_t path[TP_HOST_STACK_LIMIT + 1];
    tp_json_key(json, "idle_flame");
    tp_json_object(json);
    tp_json_member_int(json, "total_ns", d->flame_total_ns);
    tp_json_key(json, "stacks");
    tp_json_array(json);
    for (uint32_t i = 0; i < d->stack_count; i++) {
        const struct tp_flame_node *node = &d->nodes[d->stacks[i]];
        tp_json_object(json);
        tp_json_key(json, "frames");
        frames_json(d, d->stacks[i], path, json);
        tp_json_member_int(json, "ns", node->self_ns);
        tp_json_member_int(json, "host_ns", node->self_host_ns);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
    tp_json_key(json, "frames");
    tp_table_json(&d->frames, json);
    tp_json_object_end(json);
}

static void device_json(const struct tp_idle_device *d, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_int(json, "device", d->device);
    tp_json_member_int(json, "operations", d->operation_count);
    tp_json_member_int(json, "streams", d->stream_count);
    tp_json_member_us(json, "window_start_us", d->window_start_ns);
    tp_json_member_us(json, "window_us", d->window_ns);
    tp_json_member_us(json, "busy_us", d->busy_ns);
    tp_json_member_real(json, "busy_percent", d->busy_percent);
    tp_json_member_us(json, "sum_us", d->sum_ns);
    tp_json_member_real(json, "sum_over_union_ratio", d->sum_over_union);
    split_json(&d->idle, json);
    steps_json(&d->steps, json);
    tp_json_member_us(json, "compute_us", d->compute_ns);
    tp_json_member_us(json, "communication_us", d->communication_ns);
    tp_json_member_us(json, "copy_us", d->copy_ns);
    tp_json_member_us(json, "exposed_communication_us", d->exposed_communication_ns);
    tp_json_member_us(json, "exposed_copy_us", d->exposed_copy_ns);
    tp_json_member_us(json, "idle_fallback_thread_us", d->fallback_thread_ns);
    flame_json(d, json);
    tp_json_key(json, "idle_by_line");
    tp_table_json(&d->by_line, json);
    tp_json_object_end(json);
}

void tp_idle_json(const struct tp_idle_view *view, struct tp_json *json)
{
    tp_json_array(json);
    for (uint32_t d = 0; d < view->device_count; d++)
        device_json(&view->devices[d], json);
    tp_json_array_end(json);
}
