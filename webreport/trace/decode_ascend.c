/* Completes the traces of Ascend's profiler (msprof, file trace_view.json): numbers the devices, and turns its links
 * into launches. See decode.h.
 *
 * A link of category async_npu leads from an operator to a device operation: its start has the thread and a time of the
 * operator, its end has the stream and the start time of the operation. Source: trace_view.json of MindStudio 7. */
#include <stdio.h>

#include "webreport/trace/decode_parts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

#define PROCESS "Ascend Hardware"

/* One end of a link. */
struct link_end {
    uint32_t id; /* id in texts of the link's number */
    uint32_t thread, ordinal;
    int64_t ts_ns;
    bool is_start;
};

/* Number of events of a process that are skipped because they have no category. */
struct skipped_rows {
    struct tp_str process; /* name of the process; empty if unknown */
    uint64_t count;
};

/* A launch that both ends of a link describe. */
struct launch {
    const struct link_end *start, *end;
};

void tp_decode_ascend_link(struct tp_decoder *d, const struct tp_element *e)
{
    struct link_end end = {.is_start = e->ph == 's', .ordinal = e->ordinal};
    struct tp_str id = tp_span_text(e->spans, TP_FIELD_ID);
    if (!tp_str_equal(tp_strings_get(&d->trace->cats, e->cat_id), TP_STR("async_npu")) || e->ph == 't' || !id.len ||
        tp_element_time(d, e, TP_FIELD_TS, &end.ts_ns) != TP_NUMBER_OK)
        return;
    end.id = tp_element_intern(d, e, &d->sink->texts, tp_token_is_string(id) ? tp_token_contents(id) : id);
    end.thread = tp_element_thread(d, e);
    if (!d->ascend_links.arena)
        d->ascend_links = TP_VEC(d->trace->arena, struct link_end);
    *(struct link_end *)tp_vec_push(&d->ascend_links) = end;
}

/* ---- devices ---- */

static bool is_device_process(struct tp_str name)
{
    return tp_str_starts(name, PROCESS);
}

static int64_t rank_of_number(const struct tp_vec *numbers, int64_t number)
{
    int64_t rank = 0;
    for (size_t i = 0; i < numbers->count; i++)
        rank += *TP_AT(numbers, int64_t, i) < number;
    return rank;
}

/* Returns the device of each thread: the position of its pid among the pids of all devices; -1 for threads of the
 * host. Returns NULL if the trace has no device of Ascend. */
static int64_t *find_device_of_threads(struct tp_decoder *d)
{
    enum { MOST_DEVICES = 1024 };
    struct tp_sink *sink = d->sink;
    struct tp_vec numbers = TP_VEC(d->trace->arena, int64_t);
    for (size_t i = 0; i < sink->processes.count && numbers.count < MOST_DEVICES; i++) {
        const struct tp_process *process = TP_AT(&sink->processes, struct tp_process, i);
        if (is_device_process(process->name) && !process->pid.is_text)
            *(int64_t *)tp_vec_push(&numbers) = process->pid.number;
    }
    if (!numbers.count)
        return NULL;
    int64_t *devices = tp_arena_array(d->trace->arena, sink->threads.count, sizeof *devices);
    for (size_t i = 0; i < sink->threads.count; i++) {
        const struct tp_thread *thread = TP_AT(&sink->threads, struct tp_thread, i);
        const struct tp_process *process = tp_sink_find_process(sink, &thread->pid);
        bool is_device = process && is_device_process(process->name) && !thread->pid.is_text;
        devices[i] = is_device ? rank_of_number(&numbers, thread->pid.number) : -1;
    }
    return devices;
}

/* ---- launches ---- */

static int compare_ends(const void *context, uint32_t x, uint32_t y)
{
    const struct link_end *ends = context, *a = &ends[x], *b = &ends[y];
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->is_start != b->is_start)
        return a->is_start ? -1 : 1;
    return (x > y) - (x < y);
}

static int compare_launch_starts(const void *x, const void *y, const void *context)
{
    const struct launch *a = x, *b = y;
    (void)context;
    if (a->start->ts_ns != b->start->ts_ns)
        return a->start->ts_ns < b->start->ts_ns ? -1 : 1;
    return (a->start->ordinal > b->start->ordinal) - (a->start->ordinal < b->start->ordinal);
}

/* Joins the ends of links with the same number. Returns the launches in the order of their starts; elements: struct
 * launch. */
static struct tp_vec join_link_ends(struct tp_decoder *d)
{
    struct tp_arena *arena = d->trace->arena;
    struct tp_vec launches = TP_VEC(arena, struct launch);
    const struct link_end *ends = d->ascend_links.data;
    uint32_t count = (uint32_t)d->ascend_links.count, *rows = tp_arena_array(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    tp_sort_rows(rows, count, compare_ends, ends, arena);
    for (uint32_t i = 1; i < count; i++) {
        const struct link_end *start = &ends[rows[i - 1]], *end = &ends[rows[i]];
        if (start->id == end->id && start->is_start && !end->is_start)
            *(struct launch *)tp_vec_push(&launches) = (struct launch){start, end};
    }
    if (launches.count)
        tp_merge_sort(arena, launches.data, launches.count, sizeof(struct launch), compare_launch_starts, NULL);
    return launches;
}

static int compare_places_in_file(const void *x, const void *y, const void *context)
{
    const struct tp_event *a = x, *b = y;
    (void)context;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* Moves the calls, which are the last events, to the places of their links in the file. Arguments name events by their
 * index, so their indexes change too. */
static void move_calls_to_their_places(struct tp_sink *sink, const struct tp_vec *launches)
{
    struct tp_arena *arena = sink->trace->arena;
    int64_t *ordinals = tp_arena_array(arena, launches->count, sizeof *ordinals);
    for (size_t i = 0; i < launches->count; i++)
        ordinals[i] = TP_AT(launches, struct launch, i)->start->ordinal;
    tp_sort_integers(ordinals, launches->count);
    for (size_t i = 0, before = 0; i < sink->arguments.count; i++) {
        struct tp_argument *argument = TP_AT(&sink->arguments, struct tp_argument, i);
        uint32_t ordinal = TP_AT(&sink->events, struct tp_event, argument->event)->ordinal;
        while (before < launches->count && ordinals[before] < ordinal)
            before++;
        argument->event += (uint32_t)before;
    }
    if (launches->count)
        tp_merge_sort(arena, sink->events.data, sink->events.count, sizeof(struct tp_event), compare_places_in_file,
                      NULL);
}

/* Adds a call without length at the start of each launch. Its correlation is the number of the launch, from 1. */
static void add_launch_calls(struct tp_decoder *d, const struct tp_vec *launches)
{
    struct tp_sink *sink = d->sink;
    uint32_t cat = tp_sink_intern_text(sink, &sink->cats, TP_STR("runtime"));
    uint32_t name = tp_sink_intern_text(sink, &sink->names, TP_STR("Enqueue"));
    tp_sink_classify_new_cats(sink);
    for (size_t i = 0; i < launches->count; i++) {
        const struct link_end *start = TP_AT(launches, struct launch, i)->start;
        struct tp_launch_detail detail = {.external_id = TP_NULL_INT, .correlation = (int64_t)i + 1};
        struct tp_sink_slice slice = {.cat = cat, .has_correlation = true, .correlation = (int64_t)i + 1};
        slice.event =
            (struct tp_event){.ts_ns = start->ts_ns, .name = name, .thread = start->thread, .ordinal = start->ordinal};
        slice.event.kind = TP_KIND_RUNTIME;
        slice.event.detail = tp_sink_add_launch(sink, &detail);
        tp_sink_slice(sink, &slice);
    }
    move_calls_to_their_places(sink, launches);
    /* the starts of links are now read as calls */
    d->trace->reading.skipped_by_phase['s'] -= launches->count;
}

/* Returns the key of a place on a stream: thread and time. */
static void fill_place_key(uint32_t key[3], uint32_t thread, int64_t ts_ns)
{
    key[0] = thread;
    memcpy(key + 1, &ts_ns, sizeof ts_ns);
}

/* Sets device, stream and correlation of all operations of the devices. Copies get the name of a copy of unknown
 * direction. */
static void complete_operations(struct tp_decoder *d, const int64_t *devices, const struct tp_vec *launches)
{
    struct tp_sink *sink = d->sink;
    struct tp_keys places; /* the id of a key is the number of a launch, less 1 */
    uint32_t key[3], copy_name = tp_sink_intern_text(sink, &sink->names, TP_STR("Memcpy"));
    tp_sink_classify_new_names(sink);
    tp_keys_init(&places, d->trace->arena, 3);
    struct tp_vec numbers = TP_VEC(d->trace->arena, int64_t); /* number of the launch of each place */
    for (size_t i = 0; i < launches->count; i++) {
        const struct link_end *end = TP_AT(launches, struct launch, i)->end;
        fill_place_key(key, end->thread, end->ts_ns);
        if (tp_keys_add(&places, key) == numbers.count)
            tp_vec_push(&numbers);
        *TP_AT(&numbers, int64_t, tp_keys_add(&places, key)) = (int64_t)i + 1;
    }
    for (size_t i = 0; i < sink->events.count; i++) {
        struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        if (!tp_kind_is_device(event->kind) || event->detail == TP_NO_ID || devices[event->thread] < 0)
            continue;
        fill_place_key(key, event->thread, event->ts_ns);
        uint32_t place = tp_keys_add(&places, key);
        if (place == numbers.count)
            *(int64_t *)tp_vec_push(&numbers) = TP_NULL_INT;
        const struct tp_row_id *tid = &TP_AT(&sink->threads, struct tp_thread, event->thread)->tid;
        tp_sink_set_operation_place(sink, event->detail, devices[event->thread],
                                    tid->is_text ? TP_NULL_INT : tid->number);
        TP_AT(&sink->devices, struct tp_device_detail, event->detail)->correlation = *TP_AT(&numbers, int64_t, place);
        if (event->kind == TP_KIND_MEMCPY) {
            event->name = copy_name;
            tp_sink_add_unknown(sink, TP_UNKNOWN_COPY_DIRECTION);
        }
    }
    tp_keys_release(&places);
}

/* ---- rows that are not read ---- */

/* Removes the library from the names of calls, as in "AscendCL@aclrtSynchronizeStream". */
static void shorten_call_names(struct tp_decoder *d)
{
    struct tp_sink *sink = d->sink;
    for (size_t i = 0; i < sink->events.count; i++) {
        struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        struct tp_str name = tp_strings_get(&d->trace->names, event->name);
        const char *at = event->kind == TP_KIND_RUNTIME ? memrchr(name.ptr, '@', name.len) : NULL;
        if (!at)
            continue;
        /* copies the name, because the table of names may move while it grows */
        tp_buf_clear(&d->row_key);
        tp_buf_add(&d->row_key, at + 1, (size_t)(name.ptr + name.len - at - 1));
        if (d->row_key.failed)
            tp_arena_fail(d->trace->arena, d->row_key.failed);
        event->name = tp_sink_intern_text(sink, &sink->names, (struct tp_str){d->row_key.data, d->row_key.size});
    }
}

void tp_decode_ascend_skip(struct tp_decoder *d, struct tp_str process)
{
    enum { MOST_PROCESSES = 32 };
    struct skipped_rows *rows = NULL;
    if (!d->ascend_skipped.arena)
        d->ascend_skipped = TP_VEC(d->trace->arena, struct skipped_rows);
    for (size_t i = 0; i < d->ascend_skipped.count && !rows; i++) {
        rows = TP_AT(&d->ascend_skipped, struct skipped_rows, i);
        rows = tp_str_equal(rows->process, process) ? rows : NULL;
    }
    if (!rows && d->ascend_skipped.count < MOST_PROCESSES) {
        rows = tp_vec_push(&d->ascend_skipped);
        *rows = (struct skipped_rows){process, 0};
    }
    if (rows)
        rows->count++;
}

/* Reports the slices that the profiler derived from other slices, by the name of their process. */
static void count_skipped_rows(struct tp_decoder *d)
{
    enum { LONGEST = 64 };
    char text[LONGEST + sizeof "rows of \"\""];
    for (size_t i = 0; i < d->ascend_skipped.count; i++) {
        const struct skipped_rows *rows = TP_AT(&d->ascend_skipped, struct skipped_rows, i);
        int length = (int)(rows->process.len < LONGEST ? rows->process.len : LONGEST);
        snprintf(text, sizeof text, "rows of \"%.*s\"", length, rows->process.ptr);
        tp_sink_count_dropped(d->sink, length ? text : "slices without category", rows->count, 0);
    }
}

/* Reports the events that are read but are no work: steps of launches, and waits of streams. */
static void count_unread_events(struct tp_decoder *d, const int64_t *devices)
{
    uint64_t queue = 0, calls = 0, waits = 0;
    for (size_t i = 0; i < d->sink->events.count; i++) {
        const struct tp_event *event = TP_AT(&d->sink->events, struct tp_event, i);
        if (event->kind != TP_KIND_OTHER || event->detail == TP_NO_ID)
            continue;
        const struct tp_other_detail *other = TP_AT(&d->sink->others, struct tp_other_detail, event->detail);
        struct tp_str cat = tp_strings_get(&d->trace->cats, other->cat);
        bool is_queue = tp_str_equal(cat, TP_STR("enqueue")) || tp_str_equal(cat, TP_STR("dequeue"));
        bool is_wait = devices[event->thread] >= 0;
        queue += is_queue;
        waits += is_wait && !cat.len;
        calls += !is_queue && !is_wait && !cat.len;
    }
    if (queue)
        tp_sink_count_dropped(d->sink, "enqueue and dequeue", queue, 0);
    if (waits)
        tp_sink_count_dropped(d->sink, "waits and records on streams", waits, 0);
    if (calls)
        tp_sink_count_dropped(d->sink, "CANN calls", calls, 0);
    count_skipped_rows(d);
}

void tp_decode_ascend_finish(struct tp_decoder *d)
{
    int64_t *devices = find_device_of_threads(d);
    if (!devices || d->trace->input.producer.ptr)
        return;
    struct tp_vec launches = join_link_ends(d);
    add_launch_calls(d, &launches);
    complete_operations(d, devices, &launches);
    shorten_call_names(d);
    count_unread_events(d, devices);
    tp_sink_set_producer(d->sink, TP_STR("Ascend msprof (trace_view.json)"));
    tp_sink_add_unknown(d->sink, TP_UNKNOWN_COPY_MEMORY_KIND | TP_UNKNOWN_COPY_BYTES);
}
