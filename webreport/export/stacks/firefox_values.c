/* Writes the values of a device trace for the Firefox Profiler: each track is a thread whose samples are the items of
 * the track. Each device operation, and each part of idle time with one host stack, is also a marker. */
#include "webreport/export/stacks/firefox_parts.h"
#include "webreport/export/stacks/stack_profile.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

/* State of one track. */
struct track {
    const struct tp_value_stacks *stacks;
    const struct tp_value_track *track;
    const struct tp_value_item *items;
    uint32_t *row_of_node; /* for each node of the stacks: 1 + row in the file; 0: not added yet */
    struct tp_vec path;    /* working memory; elements: uint32_t */
};

/* Returns the row of a stack in the file. Adds the stacks of all callers that the file does not have yet. */
static uint32_t find_or_add_stack(struct tp_firefox *f, struct track *t, uint32_t node)
{
    uint32_t row = TP_NO_ID;
    t->path.count = 0; /* nodes of callers that have no row, innermost first */
    for (; node != TP_NO_ID && !t->row_of_node[node]; node = tp_keys_get(&t->stacks->nodes, node)[0])
        *(uint32_t *)tp_vec_push(&t->path) = node;
    if (node != TP_NO_ID)
        row = t->row_of_node[node] - 1;
    while (t->path.count) {
        uint32_t next = *TP_AT(&t->path, uint32_t, --t->path.count);
        struct tp_value_frame frame = tp_value_frame_at(t->stacks, tp_keys_get(&t->stacks->nodes, next)[1]);
        row = tp_firefox_add_frame(
            f, row,
            &(struct tp_firefox_frame){frame.name, frame.file, frame.line, TP_FIREFOX_VALUE_FRAME + frame.kind});
        t->row_of_node[next] = row + 1;
    }
    return row;
}

static void write_samples(struct tp_firefox *f, struct track *t)
{
    struct tp_json *json = &f->json;
    bool is_bytes = tp_value_is_bytes(t->track->value);
    tp_firefox_begin_table(f, "samples", t->track->count);
    tp_json_key(json, "stack");
    tp_json_array(json);
    for (uint32_t i = 0; i < t->track->count; i++)
        tp_firefox_write_stack_row(f, find_or_add_stack(f, t, t->items[i].stack));
    tp_json_array_end(json);
    tp_json_key(json, "time");
    tp_json_array(json);
    for (uint32_t i = 0; i < t->track->count; i++)
        tp_firefox_write_time(f, t->items[i].ts_ns);
    tp_json_array_end(json);
    tp_json_key(json, "weight");
    tp_json_array(json);
    for (uint32_t i = 0; i < t->track->count; i++)
        if (is_bytes)
            tp_json_int(json, t->items[i].amount);
        else
            tp_firefox_write_milliseconds(f, t->items[i].amount);
    tp_json_array_end(json);
    tp_json_member_text(json, "weightType", is_bytes ? "bytes" : "tracing-ms");
    tp_json_object_end(json);
}

static int64_t begin_of_item(const struct tp_value_item *item)
{
    return item->ts_ns;
}

static int64_t end_of_item(const struct tp_value_item *item)
{
    return tp_sat_add(item->ts_ns, item->amount);
}

static void write_marker_times(struct tp_firefox *f, const struct track *t, uint32_t count, const char *key,
                               int64_t (*time_of)(const struct tp_value_item *item))
{
    tp_json_key(&f->json, key);
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < count; i++)
        tp_firefox_write_time(f, time_of(&t->items[i]));
    tp_json_array_end(&f->json);
}

/* Writes device operations and idle time as markers. Tracks of other values have no markers. */
static void write_markers(struct tp_firefox *f, const struct track *t)
{
    struct tp_json *json = &f->json;
    bool has_markers = t->track->value == TP_VALUE_DEVICE || t->track->value == TP_VALUE_IDLE;
    uint32_t count = has_markers ? t->track->count : 0;
    tp_firefox_begin_table(f, "markers", count);
    tp_json_key(json, "name");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = tp_keys_get(&t->stacks->nodes, t->items[i].stack)[1];
        tp_json_int(json, tp_strings_add(&f->tables.texts, tp_value_frame_at(t->stacks, frame).name));
    }
    tp_json_array_end(json);
    write_marker_times(f, t, count, "startTime", begin_of_item);
    write_marker_times(f, t, count, "endTime", end_of_item);
    tp_firefox_write_constant(f, "phase", count, "1"); /* phase 1 means an interval */
    tp_firefox_write_constant(f, "category", count, "0");
    tp_firefox_write_constant(f, "data", count, "{\"type\":\"operation\"}");
    tp_json_object_end(json);
}

/* Writes the names and numbers of the process and the thread. A device, and the memory, are processes of their own. */
static void write_identity(struct tp_firefox *f, const struct track *t, uint32_t number)
{
    const struct tp_value_track *track = t->track;
    const struct tp_thread *thread =
        track->thread == TP_NO_ID ? NULL : &t->stacks->model->trace->threads[track->thread];
    struct tp_str process = track->name.len ? track->name : TP_STR("memory");
    if (thread)
        process = thread->pid.is_text ? thread->pid.text
                                      : tp_str_of(tp_text_printf(f->arena, "%lld", (long long)thread->pid.number));
    /* a process has one main thread: with samples, the sampled one */
    bool is_main = thread && !tp_export_has_samples(t->stacks->model->trace) && track->value == TP_VALUE_HOST &&
                   !thread->pid.is_text && !thread->tid.is_text && thread->pid.number == thread->tid.number;
    tp_json_member_text(&f->json, "name",
                        track->name.len ? tp_text_printf(f->arena, "%.*s: %s", (int)track->name.len, track->name.ptr,
                                                         tp_value_title(track->value))
                                        : tp_value_title(track->value));
    tp_json_member_str(&f->json, "processName",
                       thread ? tp_str_of(tp_text_printf(f->arena, "process %.*s", (int)process.len, process.ptr))
                              : process);
    tp_json_member_text(&f->json, "processType", "default");
    tp_json_member_str(&f->json, "pid", process);
    tp_json_member_int(&f->json, "tid", thread && !thread->tid.is_text ? thread->tid.number : number);
    tp_json_member_bool(&f->json, "isMainThread", is_main);
}

static void write_track(struct tp_firefox *f, struct track *t, uint32_t number)
{
    const struct tp_value_item *last = &t->items[t->track->count - 1];
    struct tp_json *json = &f->json;
    tp_firefox_tables_init(f);
    memset(t->row_of_node, 0, tp_keys_count(&t->stacks->nodes) * sizeof *t->row_of_node);
    tp_json_object(json);
    write_identity(f, t, number);
    tp_json_key(json, "processStartupTime");
    tp_firefox_write_time(f, t->stacks->model->first_ns);
    tp_json_key(json, "processShutdownTime");
    tp_json_null(json);
    tp_json_key(json, "registerTime");
    tp_firefox_write_time(f, t->items[0].ts_ns);
    tp_json_key(json, "unregisterTime");
    tp_firefox_write_time(f, tp_value_is_bytes(t->track->value) ? last->ts_ns : end_of_item(last));
    tp_firefox_write_constant(f, "pausedRanges", 0, "");
    write_samples(f, t);
    write_markers(f, t);
    tp_firefox_write_tables(f);
    tp_json_object_end(json);
}

void tp_firefox_write_values(struct tp_firefox *f, const struct tp_value_stacks *stacks)
{
    struct track t = {.stacks = stacks, .path = TP_VEC(f->arena, uint32_t)};
    t.row_of_node = tp_arena_array(f->arena, tp_keys_count(&stacks->nodes), sizeof *t.row_of_node);
    for (uint32_t i = 0; i < tp_value_track_count(stacks); i++) {
        t.track = tp_value_track_at(stacks, i);
        t.items = tp_value_items_of(stacks, t.track);
        write_track(f, &t, i);
    }
}
