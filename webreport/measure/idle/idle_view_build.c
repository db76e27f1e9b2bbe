/* Implements idle_view.h: builds totals by device and by step. idle_flame.c builds the flame. */
#include "webreport/measure/idle/idle_view.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/idle/idle_flame.h"
#include "webreport/model/numbers.h"

/* limit of devices times steps. A damaged trace can contain any number of devices and steps; a real trace has few */
enum { MAX_STEP_ROWS = 1 << 17 };

static const struct tp_column_def step_columns[TP_IDLE_STEP_COLUMNS] = {
    {"name", "Step", "", "Name of the step's marker.", TP_COLUMN_TEXT},
    {"start_us", "Start", "us", "Start of the step, from the start of the profile.", TP_COLUMN_NS},
    {"total_us", "Length", "us", "Length of the step, including the device work of the step.", TP_COLUMN_NS},
    {"busy_us", "Busy", "us", "Time in which at least one operation ran on the device.", TP_COLUMN_NS},
    {"gaps", "Gaps", "", "Number of idle periods of the device in the step.", TP_COLUMN_INT},
    {"total_us", "Idle", "us", "Time of the step in which nothing ran on the device.", TP_COLUMN_NS},
    {"host_us", "Host", "us", "Idle time before the host began to launch the next operation.", TP_COLUMN_NS},
    {"launch_us", "Launch", "us", "Idle time while the host was inside the call that launches the next operation.",
     TP_COLUMN_NS},
    {"queue_us", "Queue", "us",
     "Idle time after the launch of the next operation, while the operation waited in the device or its queue.",
     TP_COLUMN_NS},
    {"outside_us", "Outside", "us",
     "Time before the first or after the last recorded operation, when the state of the device is unknown.",
     TP_COLUMN_NS},
    {"unknown_us", "Unknown", "us",
     "Idle time before an operation whose launch was not recorded, or while the host waited for unrecorded work.",
     TP_COLUMN_NS},
    {"in_graph_us", "In graphs", "us", "Part of the queue time that is before operations launched by a graph.",
     TP_COLUMN_NS},
    {"total_percent", "Idle", "%", "Idle time as a share of the step time.", TP_COLUMN_REAL},
    {"host_percent", "Host", "%",
     "Idle time before the host began to launch the next operation, as a share of the step time.", TP_COLUMN_REAL},
    {"launch_percent", "Launch", "%",
     "Idle time inside the call that launches the next operation, as a share of the step time.", TP_COLUMN_REAL},
    {"queue_percent", "Queue", "%", "Idle time after the launch of the next operation, as a share of the step time.",
     TP_COLUMN_REAL},
    {"outside_percent", "Outside", "%",
     "Time before the first or after the last recorded operation, as a share of the step time.", TP_COLUMN_REAL},
    {"unknown_percent", "Unknown", "%",
     "Idle time before operations whose launch was not recorded, or while the host waited for unrecorded work, as a "
     "share of the step time.",
     TP_COLUMN_REAL},
};

/* Adds to `split` the part of an idle interval that is in `within`. *last_end: end of the previous interval, ns. */
static void add_part_of_idle_interval(struct tp_idle_split *split, const struct tp_model *model,
                                      const struct tp_idle_slice *piece, struct tp_interval within, int64_t *last_end)
{
    int64_t a = tp_ns_max(piece->a, within.a), b = tp_ns_min(piece->b, within.b), ns = tp_sat_sub(b, a);
    if (b <= a) /* a step of length 0 contains no idle time */
        return;
    split->gap_count += a != *last_end;
    split->total_ns = tp_sat_add(split->total_ns, ns);
    split->part_ns[piece->part] = tp_sat_add(split->part_ns[piece->part], ns);
    if (piece->part == TP_IDLE_QUEUE && tp_is_graph_launched(model, piece->next))
        split->before_graph_operations_ns = tp_sat_add(split->before_graph_operations_ns, ns);
    *last_end = b;
}

static void measure_idle_time_of_recording(struct tp_idle_device *out, const struct tp_model *model,
                                           const struct tp_gpu *gpu)
{
    static const struct tp_interval always = {INT64_MIN, INT64_MAX};
    int64_t last_end = INT64_MIN;
    out->idle.window_ns = model->window_ns;
    for (uint32_t i = 0; i < gpu->idle_count; i++) {
        const struct tp_idle_slice *piece = &gpu->idle[i];
        add_part_of_idle_interval(&out->idle, model, piece, always, &last_end);
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
    tp_table_int(table, TP_IDLE_STEP_IN_GRAPH)[row] = split->before_graph_operations_ns;
    tp_table_real(table, TP_IDLE_STEP_IDLE_PERCENT)[row] = tp_percent(split->total_ns, split->window_ns);
    for (unsigned p = 0; p < TP_IDLE_PARTS; p++) {
        tp_table_int(table, TP_IDLE_STEP_PART + p)[row] = split->part_ns[p];
        tp_table_real(table, TP_IDLE_STEP_PART_PERCENT + p)[row] = tp_percent(split->part_ns[p], split->window_ns);
    }
}

/* Fills the table of steps in one pass. Steps and idle intervals are in order of time, and analysed steps do not
 * overlap. */
static void build_steps(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu,
                        bool has_room, struct tp_arena *arena)
{
    uint32_t piece = 0, row = 0;
    tp_table_init(&out->steps, arena, "idle_steps", step_columns, TP_IDLE_STEP_COLUMNS,
                  has_room ? model->used_count : 0);
    out->steps.title = "Idle time of a device by step";
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
            add_part_of_idle_interval(&split, model, &gpu->idle[i], within, &last_end);
        fill_step(&out->steps, row++, model, step, &split);
    }
}

/* ---- devices ---- */

/* Returns the total duration of all operations within the analysed steps, ns. */
static int64_t operation_time_in_window_ns(const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t sum = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        sum = tp_sat_add(sum, tp_window_length_within(model, &at, e->ts_ns, tp_event_end(e)));
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
    measure_idle_time_of_recording(out, model, gpu);
    out->busy_ns = tp_sat_sub(model->window_ns, out->idle.total_ns);
    out->busy_percent = tp_percent(out->busy_ns, model->window_ns);
    out->sum_ns = operation_time_in_window_ns(model, gpu);
    out->sum_over_union = out->busy_ns ? (double)out->sum_ns / (double)out->busy_ns : 0.0;
    out->compute_ns = tp_intervals_intersection_length(gpu->compute, w);
    out->communication_ns = tp_intervals_intersection_length(gpu->communication, w);
    out->copy_ns = tp_intervals_intersection_length(gpu->copies, w);
    out->exposed_communication_ns = tp_intervals_intersection_length(gpu->exposed_communication, w);
    out->exposed_copy_ns = tp_intervals_intersection_length(gpu->exposed_copy, w);
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
            tp_idle_flame_init_empty(&view->devices[d], arena);
    }
}

/* ---- fields ---- */

/* Writes the idle time of all analysed steps under the names of the step columns. */
static bool next_split(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_idle_split *s = &((const struct tp_idle_device *)record->at)->idle;
    unsigned column = TP_IDLE_STEP_GAPS + (unsigned)(*cursor)++;
    if (column >= TP_IDLE_STEP_COLUMNS)
        return false;
    item->key = tp_str_of(step_columns[column].name);
    if (column == TP_IDLE_STEP_GAPS)
        item->value = tp_json_value_int(s->gap_count);
    else if (column == TP_IDLE_STEP_IDLE)
        item->value = tp_json_value_us(s->total_ns);
    else if (column < TP_IDLE_STEP_IN_GRAPH)
        item->value = tp_json_value_us(s->part_ns[column - TP_IDLE_STEP_PART]);
    else if (column == TP_IDLE_STEP_IN_GRAPH)
        item->value = tp_json_value_us(s->before_graph_operations_ns);
    else if (column == TP_IDLE_STEP_IDLE_PERCENT)
        item->value = tp_json_value_real(tp_percent(s->total_ns, s->window_ns));
    else
        item->value = tp_json_value_real(tp_percent(s->part_ns[column - TP_IDLE_STEP_PART_PERCENT], s->window_ns));
    return true;
}

static struct tp_json_value node_parent(const struct tp_record *record)
{
    const struct tp_flame_node *node = record->at;
    return node->parent ? tp_json_value_int((int64_t)node->parent - 1) : tp_json_value_null();
}

#define F struct tp_flame_node
static const struct tp_json_field node_fields[] = {
    {"parent", TP_COMPUTED(TP_AS_INT, node_parent),
     TP_DEFINITION("index of the parent node; null for an outermost node")},
    {"kind", TP_WORD(F, kind, tp_stack_kind_text), TP_DEFINITION("kind of the host event")},
    {"name", TP_PLAIN(F, text), TP_DEFINITION("name of the frame")},
    {"ns", TP_PLAIN(F, self_ns),
     TP_DEFINITION("idle time of the device while the host had exactly the call stack of this node, in nanoseconds")},
    {"starved_ns", TP_PLAIN(F, self_starved_ns),
     TP_DEFINITION("part of the idle time in `ns` in which the device waited for the host, in nanoseconds")},
};
static const struct tp_fields node = TP_FIELDS("A node of the idle flame", node_fields);
#undef F

/* Writes one flame node per call, with the index of its parent. Whole stacks would repeat every frame. */
static bool next_node(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_idle_device *device = record->at;
    size_t at = ++*cursor;
    if (at >= device->node_count)
        return false;
    item->value = tp_json_value_record(&node, (struct tp_record){.at = &device->nodes[at]});
    return true;
}

#define F struct tp_idle_device
static const struct tp_json_field step_idle_fields[] = {{NULL, TP_ROW(F, steps, TP_IDLE_STEP_GAPS, 0)}};
static const struct tp_fields step_idle = TP_FIELDS("Idle time of a step", step_idle_fields);

static const struct tp_json_field step_fields[] = {
    {NULL, TP_ROW(F, steps, 0, TP_IDLE_STEP_GAPS)},
    {"idle", TP_PART(&step_idle), TP_DEFINITION("idle time of the device in the step")},
};
static const struct tp_fields step = TP_FIELDS("A step of a device", step_fields);

static const struct tp_json_field flame_fields[] = {
    {"total_ns", TP_PLAIN(F, flame_total_ns), TP_DEFINITION("idle time in the flame graph, in nanoseconds")},
    {"nodes", TP_LIST(next_node, &node), TP_DEFINITION("nodes of the tree of call stacks, each after its parent node")},
    {"frames", TP_PLAIN(F, frames), TP_DEFINITION("idle time of the device by frame of the host's call stacks")},
};
static const struct tp_fields flame = TP_FIELDS("Idle time by stack of the host", flame_fields);

static const struct tp_json_field device_fields[] = {
    {"device", TP_PLAIN(F, device), TP_DEFINITION("index of the device")},
    {"device_title", TP_PLAIN(F, title), TP_DEFINITION("name of the device")},
    {"operations", TP_PLAIN(F, operation_count), TP_DEFINITION("number of device operations in the whole recording")},
    {"streams", TP_PLAIN(F, stream_count), TP_DEFINITION("number of streams in the whole recording")},
    {"window_us", TP_US(F, idle.window_ns), TP_DEFINITION("total length of the analysed steps")},
    {"busy_us", TP_US(F, busy_ns),
     TP_DEFINITION("time of the analysed steps in which at least one operation runs on the device")},
    {"busy_percent", TP_PLAIN(F, busy_percent),
     TP_DEFINITION("share of the step time in which at least one operation runs on the device")},
    {"sum_us", TP_US(F, sum_ns),
     TP_DEFINITION("sum of the durations of all operations of the device in the analysed steps")},
    {"sum_over_union_ratio", TP_PLAIN(F, sum_over_union),
     TP_DEFINITION("number of operations that run at the same time on average: sum_us divided by busy_us")},
    {"idle", TP_MAP(next_split, NULL),
     TP_DEFINITION("idle time in the analysed steps, by part such as host, launch or queue")},
    {"steps", TP_EACH_ROW(F, steps, &step), TP_DEFINITION("analysed steps in order of time")},
    {"compute_us", TP_US(F, compute_ns),
     TP_DEFINITION("time of the analysed steps in which a kernel other than a communication kernel runs")},
    {"communication_us", TP_US(F, communication_ns),
     TP_DEFINITION("time of the analysed steps in which a communication kernel runs")},
    {"copy_us", TP_US(F, copy_ns), TP_DEFINITION("time of the analysed steps in which a copy or memset runs")},
    {"exposed_communication_us", TP_US(F, exposed_communication_ns),
     TP_DEFINITION("time of the analysed steps in which a communication kernel runs, but no compute kernel")},
    {"exposed_copy_us", TP_US(F, exposed_copy_ns),
     TP_DEFINITION("time of the analysed steps in which a copy or memset runs, but no kernel")},
    {"idle_without_launch_us", TP_US(F, without_launch_ns),
     TP_DEFINITION(
         "idle time in the analysed steps before operations without a recorded launch, and after the last operation")},
    {"idle_flame", TP_PART(&flame), TP_DEFINITION("idle time of the device by call stack of the host")},
    {"idle_by_line", TP_PLAIN(F, by_line), TP_DEFINITION("idle time of the device by line of the host's code")},
};
#undef F

const struct tp_fields tp_idle_device_fields = TP_FIELDS("Idle time of a device", device_fields);
