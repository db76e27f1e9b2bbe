/* Implements stream_view.h. */
#include "webreport/measure/streams/stream_view.h"

#include <math.h>

#include "webreport/measure/streams/stream_operations.h"
#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

static const struct tp_column_def defs[TP_STREAM_COLUMNS] = {
    {"device", "Device", "", "Number of the device.", TP_COLUMN_INT},
    {"stream", "Stream", "", "Number of the stream.", TP_COLUMN_INT},
    {"operations", "Operations", "", "Number of kernels, copies and memsets on the stream in the whole recording.",
     TP_COLUMN_INT},
    {"queue_changes", "Queue changes", "",
     "Number of launches and starts of operations that change the length of the queue.", TP_COLUMN_INT},
    {"mean_queue", "Mean queue", "",
     "Mean number of operations that the host has launched and that have not started, over time.", TP_COLUMN_REAL},
    {"mean_queue_at_changes", "Mean at changes", "", "Mean length of the queue after each change.", TP_COLUMN_REAL},
    {"median_queue", "Median queue", "", "Median length of the queue after each change.", TP_COLUMN_INT},
    {"p75_queue", "75 % queue", "", "The queue has at most this length after 75 % of the changes.", TP_COLUMN_INT},
    {"max_queue", "Longest queue", "", "Largest number of operations in the queue.", TP_COLUMN_INT},
    {"min_queue", "Shortest queue", "",
     "Smallest number of operations in the queue; below 0 if the clocks of host and device differ.", TP_COLUMN_INT},
    {"near_max_us", "Full", "us", "Time in which the queue has at least 90 % of its largest length.", TP_COLUMN_NS},
    {"idle_host_us", "Idle: host", "us",
     "Time without work on the stream in which the host has not begun to launch the next operation.", TP_COLUMN_NS},
    {"idle_short_us", "Idle: short", "us",
     "Gaps below 30 us between operations, although the host has launched the next operation.", TP_COLUMN_NS},
    {"idle_other_us", "Idle: other", "us",
     "Longer gaps, although the host has launched the next operation, for example while the stream waits for another.",
     TP_COLUMN_NS}};

/* ---- queue ---- */

/* Room for the times of the stream with the most operations. */
struct room {
    int64_t *calls, *starts;
    uint32_t count;
};

static void init_room(struct room *room, const struct tp_stream_list *list, struct tp_arena *arena)
{
    room->count = 0;
    for (uint32_t s = 0; s < list->count; s++)
        room->count = list->streams[s].count > room->count ? list->streams[s].count : room->count;
    room->calls = tp_arena_array(arena, room->count, sizeof *room->calls);
    room->starts = tp_arena_array(arena, room->count, sizeof *room->starts);
}

static void free_room(struct room *room, struct tp_arena *arena)
{
    tp_arena_free_item(arena, room->calls, room->count * sizeof *room->calls);
    tp_arena_free_item(arena, room->starts, room->count * sizeof *room->starts);
}

/* Sorts times in place. Needs memory only if they are not in order. */
static void sort_times(int64_t *times, uint32_t count, struct tp_arena *arena)
{
    uint32_t sorted = 1;
    while (sorted < count && times[sorted - 1] <= times[sorted])
        sorted++;
    if (sorted >= count)
        return;
    struct tp_keyed *keys = tp_arena_array(arena, count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct tp_keyed){times[i], i, i};
    tp_sort_keyed(keys, count, arena);
    for (uint32_t i = 0; i < count; i++)
        times[i] = keys[i].key;
    tp_arena_free_item(arena, keys, count * sizeof *keys);
}

/* Fills `room` with the times of the items of a stream's queue. Returns their number. */
static uint32_t collect_queue_times(struct room *room, const struct tp_stream_list *list,
                                    const struct tp_stream *stream, struct tp_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stream->count; i++) {
        struct tp_stream_operation operation = tp_stream_operation_get(list, stream->operations[i]);
        if (!tp_operation_is_queued(&operation))
            continue;
        room->starts[count] = operation.start_ns;
        room->calls[count++] = operation.call_ns;
    }
    sort_times(room->calls, count, arena);
    return count;
}

static void fill_queue(struct tp_table *table, size_t row, const struct tp_queue_length *queue)
{
    tp_table_int(table, TP_STREAM_CHANGES)[row] = queue->change_count;
    tp_table_real(table, TP_STREAM_MEAN_QUEUE)[row] = queue->mean;
    tp_table_real(table, TP_STREAM_MEAN_AT_CHANGES)[row] = queue->mean_at_changes;
    tp_table_int(table, TP_STREAM_MEDIAN_QUEUE)[row] = queue->median;
    tp_table_int(table, TP_STREAM_P75_QUEUE)[row] = queue->p75;
    tp_table_int(table, TP_STREAM_MAX_QUEUE)[row] = queue->max;
    tp_table_int(table, TP_STREAM_MIN_QUEUE)[row] = queue->min;
    tp_table_int(table, TP_STREAM_NEAR_MAX)[row] = queue->near_max_ns;
}

/* Fills the columns of the queue of a stream. curve: gets the length over time; may be NULL. */
static void add_queue(struct tp_table *table, size_t row, const struct tp_queue_times *times,
                      struct tp_part_curve *curve, struct tp_arena *arena)
{
    struct tp_queue_length queue = {.change_count = TP_NULL_INT,
                                    .mean = NAN,
                                    .mean_at_changes = NAN,
                                    .median = TP_NULL_INT,
                                    .p75 = TP_NULL_INT,
                                    .max = TP_NULL_INT,
                                    .min = TP_NULL_INT,
                                    .near_max_ns = TP_NULL_INT};
    if (times->count)
        tp_queue_length_find(&queue, times, curve, arena);
    fill_queue(table, row, &queue);
}

/* ---- idle time ---- */

/* Returns the column for a gap of a stream that begins at end_ns and that the operation ends. */
static unsigned column_of_gap(int64_t end_ns, const struct tp_stream_operation *operation)
{
    enum { SHORT_NS = 30000 };
    if (operation->kind != TP_LAUNCHED_UNKNOWN && operation->call_ns > end_ns)
        return TP_STREAM_IDLE_HOST;
    return tp_sat_sub(operation->start_ns, end_ns) < SHORT_NS ? TP_STREAM_IDLE_SHORT : TP_STREAM_IDLE_OTHER;
}

static void add_idle_time(struct tp_table *table, size_t row, const struct tp_stream_list *list,
                          const struct tp_stream *stream)
{
    /* latest end of the operations so far, ns */
    int64_t end_ns = tp_stream_operation_get(list, stream->operations[0]).end_ns;
    for (uint32_t i = 1; i < stream->count; i++) {
        struct tp_stream_operation operation = tp_stream_operation_get(list, stream->operations[i]);
        if (operation.start_ns > end_ns) {
            int64_t *cell = &tp_table_int(table, column_of_gap(end_ns, &operation))[row];
            *cell = tp_sat_add(*cell, tp_sat_sub(operation.start_ns, end_ns));
        }
        end_ns = tp_ns_max(end_ns, operation.end_ns);
    }
}

/* ---- the view ---- */

/* Chooses the streams with the most operations for curves. */
static void choose_curves(struct tp_stream_view *view, const struct tp_stream_list *list, const struct tp_model *model,
                          struct tp_arena *arena)
{
    const struct tp_stream *streams = list->streams;
    for (uint32_t s = 0; s < list->count; s++) {
        uint32_t at = view->curve_count < TP_STREAM_CURVES ? view->curve_count++ : TP_STREAM_CURVES;
        for (; at > 0 && streams[view->curve_row[at - 1]].count < streams[s].count; at--)
            if (at < TP_STREAM_CURVES)
                view->curve_row[at] = view->curve_row[at - 1];
        if (at < TP_STREAM_CURVES)
            view->curve_row[at] = s;
    }
    for (uint32_t i = 0; i < view->curve_count; i++) {
        view->curves[i] = tp_arena_alloc(arena, sizeof *view->curves[i]);
        tp_part_curve_init(view->curves[i], model);
    }
}

static struct tp_part_curve *find_curve(const struct tp_stream_view *view, uint32_t row)
{
    for (uint32_t i = 0; i < view->curve_count; i++)
        if (view->curve_row[i] == row)
            return view->curves[i];
    return NULL;
}

static void add_row(struct tp_stream_view *view, uint32_t row, const struct tp_stream_list *list, struct room *room,
                    struct tp_arena *arena)
{
    struct tp_table *table = &view->streams;
    const struct tp_stream *stream = &list->streams[row];
    struct tp_queue_times times = {room->calls, room->starts, collect_queue_times(room, list, stream, arena)};
    tp_table_int(table, TP_STREAM_NUMBER)[row] = stream->id.number;
    tp_table_int(table, TP_STREAM_OPERATIONS)[row] = stream->count;
    add_queue(table, row, &times, find_curve(view, row), arena);
    add_idle_time(table, row, list, stream);
}

void tp_stream_view_build(struct tp_stream_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_stream_list list;
    struct room room;
    *view = (struct tp_stream_view){0};
    if (!model->devices.count || !tp_stream_list_build(&list, model, arena))
        return;
    view->is_present = true;
    tp_table_init(&view->streams, arena, "streams", defs, TP_STREAM_COLUMNS, list.count);
    view->streams.title = "Streams";
    choose_curves(view, &list, model, arena);
    init_room(&room, &list, arena);
    for (uint32_t s = 0; s < list.count; s++) {
        tp_table_int(&view->streams, TP_STREAM_DEVICE)[s] = model->gpus[list.streams[s].id.gpu].id;
        add_row(view, s, &list, &room, arena);
    }
    free_room(&room, arena);
    tp_launch_delays_build(&view->delays, &list, model, arena);
    tp_stream_list_release(&list, arena);
}

#define F struct tp_stream_view
static const struct tp_json_field fields[] = {
    {"streams", TP_PLAIN(F, streams), TP_DEFINITION("queue length and idle time of each stream")},
    {"launch_delays", TP_PLAIN(F, delays.by_kind),
     TP_DEFINITION("time from the end of a launch to the start of its operation, by kind of operation")},
    {"launch_delay_decades", TP_PLAIN(F, delays.decades),
     TP_DEFINITION("numbers of operations by the decade of their launch delay")},
};
#undef F
const struct tp_fields tp_stream_view_fields = TP_FIELDS("Streams", fields);
