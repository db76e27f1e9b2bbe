/* Idle view of each device: what it did in W, totals and steps. The flame and the lines: idle_flame.c. See idle_view.h.
 */
#include "webreport/measure/idle/idle_view.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/idle/idle_flame.h"
#include "webreport/model/numbers.h"

/* A trace may name any number of devices and steps; a real one has a few. */
enum { MAX_STEP_ROWS = 1 << 17 };

static const struct tp_column_def step_columns[TP_IDLE_STEP_COLUMNS] = {
    {"name", "Step", "", "Name of the step's marker.", TP_COLUMN_TEXT},
    {"start_us", "Start", "us", "Start of the step, from the start of the profile.", TP_COLUMN_NS},
    {"total_us", "Length", "us", "Length of the step with its device work.", TP_COLUMN_NS},
    {"busy_us", "Busy", "us", "Time in which at least one operation ran on the device.", TP_COLUMN_NS},
    {"gaps", "Gaps", "", "Times without device work in the step.", TP_COLUMN_INT},
    {"total_us", "Idle", "us", "Time without device work.", TP_COLUMN_NS},
    {"host_us", "Host", "us", "Idle before the host called the next operation.", TP_COLUMN_NS},
    {"launch_us", "Launch", "us", "Idle inside the call that launches the next operation.", TP_COLUMN_NS},
    {"queue_us", "Queue", "us", "Idle although the next operation had been called: the device or its queue held it.",
     TP_COLUMN_NS},
    {"outside_us", "Outside", "us", "Beyond the recorded work of the device: nobody knows whether it was busy.",
     TP_COLUMN_NS},
    {"unknown_us", "Unknown", "us", "Idle before an operation whose launch was not recorded.", TP_COLUMN_NS},
    {"in_graph_us", "In graphs", "us", "Part of Queue before operations of a graph launch.", TP_COLUMN_NS},
    {"total_percent", "Idle", "%", "Idle, of the step.", TP_COLUMN_REAL},
    {"host_percent", "Host", "%", "Idle before the call of the next operation, of the step.", TP_COLUMN_REAL},
    {"launch_percent", "Launch", "%", "Idle inside that call, of the step.", TP_COLUMN_REAL},
    {"queue_percent", "Queue", "%", "Idle after that call, of the step.", TP_COLUMN_REAL},
    {"outside_percent", "Outside", "%", "Beyond the recorded work, of the step.", TP_COLUMN_REAL},
    {"unknown_percent", "Unknown", "%", "Idle before operations without launch, of the step.", TP_COLUMN_REAL},
};

/* Adds what the piece has in common with [a, b). last_end: where the piece before it ended. */
static void add_piece(struct tp_idle_split *split, const struct tp_model *model, const struct tp_idle_piece *piece,
                      struct tp_interval within, int64_t *last_end)
{
    int64_t a = tp_ns_max(piece->a, within.a), b = tp_ns_min(piece->b, within.b), ns = tp_sat_sub(b, a);
    if (b <= a) /* a step of no length */
        return;
    split->gap_count += a != *last_end;
    split->total_ns = tp_sat_add(split->total_ns, ns);
    split->part_ns[piece->part] = tp_sat_add(split->part_ns[piece->part], ns);
    if (piece->part == TP_IDLE_QUEUE && tp_is_graph_launched(model, piece->next))
        split->in_graph_ns = tp_sat_add(split->in_graph_ns, ns);
    *last_end = b;
}

static void measure_whole(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu)
{
    static const struct tp_interval always = {INT64_MIN, INT64_MAX};
    int64_t last_end = INT64_MIN;
    out->idle.window_ns = model->window_ns;
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_piece *piece = &gpu->idle[i];
        add_piece(&out->idle, model, piece, always, &last_end);
        if (piece->next == TP_NO_ID || !tp_launch_of_device(model, piece->next))
            out->without_launch_ns = tp_sat_add(out->without_launch_ns, tp_sat_sub(piece->b, piece->a));
    }
}

/* ---- steps ---- */

static void fill_step(const struct tp_table *table, uint32_t row, const struct tp_model *model,
                      const struct tp_step *step, const struct tp_idle_split *split)
{
    tp_table_text(table, TP_IDLE_STEP_NAME)[row] = step->name;
    tp_table_int(table, TP_IDLE_STEP_START)[row] = tp_sat_sub(step->start_ns, model->first_ns);
    tp_table_int(table, TP_IDLE_STEP_TOTAL)[row] = split->window_ns;
    tp_table_int(table, TP_IDLE_STEP_BUSY)[row] = tp_sat_sub(split->window_ns, split->total_ns);
    tp_table_int(table, TP_IDLE_STEP_GAPS)[row] = split->gap_count;
    tp_table_int(table, TP_IDLE_STEP_IDLE)[row] = split->total_ns;
    tp_table_int(table, TP_IDLE_STEP_IN_GRAPH)[row] = split->in_graph_ns;
    tp_table_real(table, TP_IDLE_STEP_IDLE_PERCENT)[row] = tp_percent(split->total_ns, split->window_ns);
    for (unsigned p = 0; p < TP_IDLE_PARTS; p++) {
        tp_table_int(table, TP_IDLE_STEP_PART + p)[row] = split->part_ns[p];
        tp_table_real(table, TP_IDLE_STEP_PART_PERCENT + p)[row] = tp_percent(split->part_ns[p], split->window_ns);
    }
}

/* Steps and pieces both stand in order of time, and used steps are disjoint: one merge. */
static void build_steps(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu,
                        bool has_room, struct tp_arena *arena)
{
    uint32_t piece = 0, row = 0;
    tp_table_init(&out->steps, arena, "idle_steps", step_columns, TP_IDLE_STEP_COLUMNS,
                  has_room ? model->used_count : 0);
    out->steps.title = "Idle device by step";
    for (uint32_t s = 0; s < model->step_count && has_room; s++) {
        const struct tp_step *step = &model->steps[s];
        struct tp_interval within = {step->start_ns, step->end_ns};
        struct tp_idle_split split = {.window_ns = tp_sat_sub(within.b, within.a)};
        int64_t last_end = INT64_MIN;
        if (!tp_step_is_used(step))
            continue;
        while (piece < gpu->idle_count && gpu->idle[piece].b <= within.a)
            piece++;
        for (uint32_t i = piece; i < gpu->idle_count && gpu->idle[i].a < within.b; i++)
            add_piece(&split, model, &gpu->idle[i], within, &last_end);
        fill_step(&out->steps, row++, model, step, &split);
    }
}

/* ---- devices ---- */

/* The part of all durations that lies in W. */
static int64_t sum_in_window(const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t sum = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        sum = tp_sat_add(sum, tp_window_within(model, &at, e->ts_ns, tp_event_end(e)));
    }
    return sum;
}

static void build_device(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu,
                         uint32_t *step_rows, struct tp_arena *arena)
{
    const struct tp_intervals w = model->window;
    out->device = gpu->id;
    out->title = tp_device_title(model, gpu->id, arena);
    out->operation_count = gpu->count;
    out->stream_count = gpu->stream_count;
    measure_whole(out, model, gpu);
    out->busy_ns = tp_sat_sub(model->window_ns, out->idle.total_ns);
    out->busy_percent = tp_percent(out->busy_ns, model->window_ns);
    out->sum_ns = sum_in_window(model, gpu);
    out->sum_over_union = out->busy_ns ? (double)out->sum_ns / (double)out->busy_ns : 0.0;
    out->compute_ns = tp_intervals_meet_length(gpu->compute, w);
    out->communication_ns = tp_intervals_meet_length(gpu->communication, w);
    out->copy_ns = tp_intervals_meet_length(gpu->copies, w);
    out->exposed_communication_ns = tp_intervals_meet_length(gpu->exposed_communication, w);
    out->exposed_copy_ns = tp_intervals_meet_length(gpu->exposed_copy, w);
    bool has_room = model->used_count <= *step_rows;
    *step_rows -= has_room ? model->used_count : 0;
    build_steps(out, model, gpu, has_room, arena);
}

void tp_idle_build(struct tp_idle_view *view, const struct tp_model *model, bool has_flame, struct tp_arena *arena)
{
    uint32_t step_rows = MAX_STEP_ROWS;
    view->device_count = model->gpu_count;
    view->devices = tp_arena_array(arena, model->gpu_count, sizeof *view->devices);
    for (uint32_t d = 0; d < model->gpu_count; d++) {
        build_device(&view->devices[d], model, &model->gpus[d], &step_rows, arena);
        if (has_flame && d < TP_IDLE_FLAME_DEVICES)
            tp_idle_flame_build(&view->devices[d], model, &model->gpus[d], arena);
        else
            tp_idle_flame_skip(&view->devices[d], arena);
    }
}

/* ---- JSON ---- */

static void split_json(const struct tp_idle_split *s, struct tp_json *json)
{
    tp_json_key(json, "idle");
    tp_json_object(json);
    for (unsigned c = TP_IDLE_STEP_GAPS; c < TP_IDLE_STEP_COLUMNS; c++) {
        tp_json_key(json, step_columns[c].name);
        if (c == TP_IDLE_STEP_GAPS)
            tp_json_int(json, s->gap_count);
        else if (c == TP_IDLE_STEP_IDLE)
            tp_json_us(json, s->total_ns);
        else if (c < TP_IDLE_STEP_IN_GRAPH)
            tp_json_us(json, s->part_ns[c - TP_IDLE_STEP_PART]);
        else if (c == TP_IDLE_STEP_IN_GRAPH)
            tp_json_us(json, s->in_graph_ns);
        else if (c == TP_IDLE_STEP_IDLE_PERCENT)
            tp_json_real(json, tp_percent(s->total_ns, s->window_ns));
        else
            tp_json_real(json, tp_percent(s->part_ns[c - TP_IDLE_STEP_PART_PERCENT], s->window_ns));
    }
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

/* Writes each node once, with the index of the one around it: stacks with all of their frames would be as long as the
 * number of stacks times their depth. */
static void flame_json(const struct tp_idle_device *d, struct tp_json *json)
{
    tp_json_key(json, "idle_flame");
    tp_json_object(json);
    tp_json_member_int(json, "total_ns", d->flame_total_ns);
    tp_json_key(json, "nodes");
    tp_json_array(json);
    for (uint32_t i = 1; i < d->node_count; i++) {
        const struct tp_flame_node *node = &d->nodes[i];
        tp_json_object(json);
        tp_json_key(json, "parent");
        if (node->parent)
            tp_json_int(json, (int64_t)node->parent - 1);
        else
            tp_json_null(json);
        tp_json_member_text(json, "kind", tp_stack_kind_text(node->kind));
        tp_json_member_str(json, "name", node->text);
        tp_json_member_int(json, "ns", node->self_ns);
        tp_json_member_int(json, "starved_ns", node->self_starved_ns);
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
    tp_json_member_str(json, "device_title", d->title);
    tp_json_member_int(json, "operations", d->operation_count);
    tp_json_member_int(json, "streams", d->stream_count);
    tp_json_member_us(json, "window_us", d->idle.window_ns);
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
    tp_json_member_us(json, "idle_without_launch_us", d->without_launch_ns);
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
