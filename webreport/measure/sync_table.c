/* Waits grouped by where they were called: see sync_table.h. */
#include "webreport/measure/sync_table.h"

#include "webreport/model/host_model.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

static const struct tp_column_def columns[TP_SYNC_COLUMNS] = {
    {"line", "Called at", "", "Innermost project line around the call.", TP_COLUMN_TEXT},
    {"op", "Operator", "", "Outermost operator around the call.", TP_COLUMN_TEXT},
    {"api", "Call", "", "Runtime or driver function that waited.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "sync: an explicit wait; copy: a copy that returns when it is done.", TP_COLUMN_TEXT},
    {"count", "Calls", "", "Number of calls.", TP_COLUMN_INT},
    {"host_wait_us", "Host wait", "us", "Time the host spent in the calls.", TP_COLUMN_NS},
    {"bubble_us", "Bubble", "us", "Time from the end of the call until the device had work again.", TP_COLUMN_NS},
    {"cost_us", "Cost", "us", "The part of the bubble that the wait can be blamed for: what its removal gains at most.",
     TP_COLUMN_NS},
    {"max_cost_us", "Largest cost", "us", "Cost of the most expensive call.", TP_COLUMN_NS},
    {"first_event", "First event", "", "Position of the first such call in the trace file.", TP_COLUMN_INT},
};

struct group {
    struct tp_str line, op, api;
    bool is_copy;
    int64_t count, host_wait_ns, bubble_ns, cost_ns, max_cost_ns, first_event;
    uint32_t number; /* in order of appearance */
};

static int by_cost(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct group *a = x, *b = y;
    if (a->cost_ns != b->cost_ns)
        return a->cost_ns > b->cost_ns ? -1 : 1;
    if (a->host_wait_ns != b->host_wait_ns)
        return a->host_wait_ns > b->host_wait_ns ? -1 : 1;
    int order = tp_str_compare(a->line, b->line);
    if (!order)
        order = tp_str_compare(a->op, b->op);
    if (!order)
        order = tp_str_compare(a->api, b->api);
    return order ? order : (int)b->is_copy - (int)a->is_copy; /* "copy" before "sync" */
}

/* Number of the group (line, op, api) of a call; the api says the kind. */
static uint32_t group_of(struct tp_host *host, const struct tp_host_call *call, struct tp_id_map maps[2],
                         struct tp_vec *groups)
{
    uint32_t op = TP_NO_ID, name = tp_call_event(host, call)->name;
    if (call->top_op != TP_NO_ID)
        op = tp_host_frames_frame(&host->frames, tp_host_event(host, call->top_op)->name);
    uint32_t *place = tp_id_map_put(&maps[0], tp_id_pair(call->line, op));
    if (*place == TP_NO_ID)
        *place = maps[0].count - 1;
    uint32_t *id = tp_id_map_put(&maps[1], tp_id_pair(*place, name));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)groups->count;
        struct group *group = tp_vec_push(groups);
        group->line = tp_strings_get(&host->frames.lines, call->line);
        group->op = tp_strings_get(&host->frames.frames, op);
        group->api = tp_strings_get(&host->trace->names, name);
        group->first_event = INT64_MAX;
        group->number = *id;
    }
    return *id;
}

static void fill_row(const struct tp_table *rows, size_t i, const struct group *group)
{
    tp_table_text(rows, TP_SYNC_LINE)[i] = group->line;
    tp_table_text(rows, TP_SYNC_OP)[i] = group->op;
    tp_table_text(rows, TP_SYNC_API)[i] = group->api;
    tp_table_text(rows, TP_SYNC_KIND)[i] = group->is_copy ? TP_STR("copy") : TP_STR("sync");
    tp_table_int(rows, TP_SYNC_COUNT)[i] = group->count;
    tp_table_int(rows, TP_SYNC_HOST_WAIT)[i] = group->host_wait_ns;
    tp_table_int(rows, TP_SYNC_BUBBLE)[i] = group->bubble_ns;
    tp_table_int(rows, TP_SYNC_COST)[i] = group->cost_ns;
    tp_table_int(rows, TP_SYNC_MAX_COST)[i] = group->max_cost_ns;
    tp_table_int(rows, TP_SYNC_FIRST_EVENT)[i] = group->first_event;
}

void tp_sync_build(struct tp_sync_table *table, struct tp_host *host, struct tp_arena *arena)
{
    struct tp_vec groups = TP_VEC(arena, struct group);
    struct tp_id_map maps[2];
    tp_id_map_init(&maps[0], arena);
    tp_id_map_init(&maps[1], arena);
    table->calls = tp_arena_array(arena, host->wait_count, sizeof *table->calls);
    for (uint32_t i = 0; i < host->wait_count; i++) {
        const struct tp_host_wait *wait = &host->waits[i];
        const struct tp_host_call *call = &host->calls[wait->call];
        const struct tp_event *e = tp_call_event(host, call);
        uint32_t id = group_of(host, call, maps, &groups);
        struct group *group = TP_AT(&groups, struct group, id);
        table->calls[i] = (struct tp_sync_call){e->ts_ns, wait->cost, id};
        group->is_copy = wait->is_copy;
        group->count++;
        group->host_wait_ns = tp_ns_plus(group->host_wait_ns, e->dur_ns);
        group->bubble_ns = tp_ns_plus(group->bubble_ns, wait->bubble);
        group->cost_ns = tp_ns_plus(group->cost_ns, wait->cost);
        group->max_cost_ns = tp_ns_max(group->max_cost_ns, wait->cost);
        group->first_event = tp_ns_min(group->first_event, e->ordinal);
        table->host_wait_ns = tp_ns_plus(table->host_wait_ns, e->dur_ns);
        table->bubble_ns = tp_ns_plus(table->bubble_ns, wait->bubble);
        table->cost_ns = tp_ns_plus(table->cost_ns, wait->cost);
    }
    table->count = host->wait_count;
    tp_merge_sort(arena, groups.data, groups.count, sizeof(struct group), by_cost, NULL);
    tp_table_init(&table->rows, arena, "sync_table", columns, TP_SYNC_COLUMNS, groups.count);
    table->rows.title = "Waits for the device";
    uint32_t *row_of = tp_arena_array(arena, groups.count, sizeof *row_of);
    for (size_t i = 0; i < groups.count; i++) {
        row_of[TP_AT(&groups, struct group, i)->number] = (uint32_t)i;
        fill_row(&table->rows, i, TP_AT(&groups, struct group, i));
    }
    for (uint32_t i = 0; i < host->wait_count; i++)
        table->calls[i].row = row_of[table->calls[i].row];
}

void tp_sync_json(const struct tp_sync_table *table, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_int(json, "count", table->count);
    tp_json_member_us(json, "host_wait_us", table->host_wait_ns);
    tp_json_member_us(json, "bubble_us", table->bubble_ns);
    tp_json_member_us(json, "cost_us", table->cost_ns);
    tp_json_key(json, "rows");
    tp_table_json(&table->rows, json);
    tp_json_object_end(json);
}
