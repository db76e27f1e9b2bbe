/* Implements sync_table.h: groups waits for the device by the place of their calls. */
#include "webreport/measure/views/sync_table.h"

#include "webreport/model/numbers.h"
#include "writer/base/keys.h"
#include "writer/base/sort.h"

static const struct tp_column_def columns[TP_SYNC_COLUMNS] = {
    {"line", "Called at", "", "Innermost source line of the project around the call.", TP_COLUMN_TEXT},
    {"op", "{Operator}", "", "Outermost {operator} around the call.", TP_COLUMN_TEXT},
    {"api", "Call", "", "Runtime or driver function that waited.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "sync for a call that only waits, copy for a copy that returns when the copy is complete.",
     TP_COLUMN_TEXT},
    {"count", "Calls", "", "Number of calls in this row that wait for the device.", TP_COLUMN_INT},
    {"host_wait_us", "Host wait", "us", "Time that the host spent in the waiting calls of this row.", TP_COLUMN_NS},
    {"bubble_us", "Bubble", "us", "Idle time of the device from the end of the call to the next operation.",
     TP_COLUMN_NS},
    {"cost_us", "Cost", "us",
     "Longest idle time of the device that the wait can cause: the idle time after the call, but at most the duration "
     "of the call.",
     TP_COLUMN_NS},
    {"max_cost_us", "Largest cost", "us", "Cost of the most expensive call.", TP_COLUMN_NS},
    {"first_event", "First event", "", "Position of the first call of this row in the trace file.", TP_COLUMN_INT},
};

/* the waits of one kind at one place in the program; times in ns */
struct group {
    struct tp_wait_place place;
    int64_t count, host_wait_ns, bubble_ns, cost_ns, max_cost_ns, first_event;
    enum tp_range_kind kind;
};

static int compare_by_cost(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct group *a = x, *b = y;
    if (a->cost_ns != b->cost_ns)
        return a->cost_ns > b->cost_ns ? -1 : 1;
    if (a->host_wait_ns != b->host_wait_ns)
        return a->host_wait_ns > b->host_wait_ns ? -1 : 1;
    int order = tp_str_compare(a->place.line, b->place.line);
    if (!order)
        order = tp_str_compare(a->place.op, b->place.op);
    if (!order)
        order = tp_str_compare(a->place.api, b->place.api);
    return order ? order : strcmp(tp_range_kind_text(a->kind), tp_range_kind_text(b->kind));
}

/* Returns the label id of the outermost operator around operator `op`; TP_NO_ID if `op` is TP_NO_ID. */
static uint32_t outermost_operator(const struct tp_model *model, uint32_t op)
{
    if (op == TP_NO_ID)
        return TP_NO_ID;
    while (model->operators.parent[op] != TP_NO_ID)
        op = model->operators.parent[op];
    return tp_frames_label(&model->trace->frames, tp_operator_event(model, op)->name);
}

struct tp_wait_place tp_wait_place(const struct tp_model *model, const struct tp_wait *wait)
{
    const struct tp_frames *frames = &model->trace->frames;
    const struct tp_event *e = &model->trace->events[wait->event];
    uint32_t line = tp_event_line_id(model, wait->event);
    uint32_t op = outermost_operator(model, wait->op);
    return (struct tp_wait_place){
        .line = line == TP_NO_ID ? TP_STR("") : tp_frames_line_text(frames, line),
        .op = op == TP_NO_ID ? TP_STR("") : tp_frames_label_text(frames, op),
        .api = tp_trace_event_name(model->trace, e),
        .ids = {line, op, e->name},
    };
}

static struct group *find_or_add_group(const struct tp_model *model, const struct tp_wait *wait, struct tp_keys *keys,
                                       struct tp_vec *groups)
{
    struct tp_wait_place place = tp_wait_place(model, wait);
    uint32_t key[4] = {place.ids[0], place.ids[1], place.ids[2], wait->kind};
    uint32_t id = tp_keys_add(keys, key);
    if (id == groups->count)
        *(struct group *)tp_vec_push(groups) =
            (struct group){.place = place, .first_event = INT64_MAX, .kind = wait->kind};
    return TP_AT(groups, struct group, id);
}

static void add_wait(struct tp_sync_table *table, struct group *group, const struct tp_wait *wait,
                     const struct tp_event *e)
{
    table->count++;
    group->count++;
    group->host_wait_ns = tp_sat_add(group->host_wait_ns, e->dur_ns);
    group->bubble_ns = tp_sat_add(group->bubble_ns, wait->bubble_ns);
    group->cost_ns = tp_sat_add(group->cost_ns, wait->cost_ns);
    group->max_cost_ns = tp_ns_max(group->max_cost_ns, wait->cost_ns);
    group->first_event = tp_ns_min(group->first_event, e->ordinal);
    table->host_wait_ns = tp_sat_add(table->host_wait_ns, e->dur_ns);
    table->bubble_ns = tp_sat_add(table->bubble_ns, wait->bubble_ns);
    table->cost_ns = tp_sat_add(table->cost_ns, wait->cost_ns);
}

static void fill_row(const struct tp_table *rows, size_t i, const struct group *group)
{
    tp_table_text(rows, TP_SYNC_LINE)[i] = group->place.line;
    tp_table_text(rows, TP_SYNC_OP)[i] = group->place.op;
    tp_table_text(rows, TP_SYNC_API)[i] = group->place.api;
    tp_table_text(rows, TP_SYNC_KIND)[i] = tp_str_of(tp_range_kind_text(group->kind));
    tp_table_int(rows, TP_SYNC_COUNT)[i] = group->count;
    tp_table_int(rows, TP_SYNC_HOST_WAIT)[i] = group->host_wait_ns;
    tp_table_int(rows, TP_SYNC_BUBBLE)[i] = group->bubble_ns;
    tp_table_int(rows, TP_SYNC_COST)[i] = group->cost_ns;
    tp_table_int(rows, TP_SYNC_MAX_COST)[i] = group->max_cost_ns;
    tp_table_int(rows, TP_SYNC_FIRST_EVENT)[i] = group->first_event;
}

void tp_sync_table_build(struct tp_sync_table *table, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec groups = TP_VEC(arena, struct group);
    struct tp_keys keys;
    tp_keys_init(&keys, arena, 4);
    memset(table, 0, sizeof *table);
    for (uint32_t i = 0; i < model->wait_count; i++) {
        const struct tp_wait *wait = &model->waits[i];
        const struct tp_event *e = &model->trace->events[wait->event];
        if (tp_intervals_contain(model->window, e->ts_ns))
            add_wait(table, find_or_add_group(model, wait, &keys, &groups), wait, e);
        else
            table->outside_step_count++;
    }
    tp_keys_release(&keys);
    tp_merge_sort(arena, groups.data, groups.count, sizeof(struct group), compare_by_cost, NULL);
    tp_table_init(&table->rows, arena, "sync_table", columns, TP_SYNC_COLUMNS, groups.count);
    table->rows.title = "Waits for the device";
    for (size_t i = 0; i < groups.count; i++)
        fill_row(&table->rows, i, TP_AT(&groups, struct group, i));
}

#define F struct tp_sync_table
static const struct tp_json_field fields[] = {
    {"count", TP_PLAIN(F, count),
     TP_DEFINITION("number of calls that wait for the device and begin in the analysed steps")},
    {"host_wait_us", TP_US(F, host_wait_ns),
     TP_DEFINITION("time that the host spends in calls that wait for the device")},
    {"bubble_us", TP_US(F, bubble_ns),
     TP_DEFINITION(
         "idle time of the device after each call that waits for the device, until the next device operation starts")},
    {"cost_us", TP_US(F, cost_ns), TP_DEFINITION("upper bound of the time that would be saved without the waits")},
    {"calls_outside_steps", TP_PLAIN(F, outside_step_count),
     TP_DEFINITION("number of waits that begin outside of the analysed steps; the other members of the table do not "
                   "include these waits")},
    {"rows", TP_PLAIN(F, rows), TP_DEFINITION("waits by source line, operator and call, most expensive first")},
};
#undef F

const struct tp_fields tp_sync_fields = TP_FIELDS("Waits for the device", fields);
