/* Writes a cleaned trace for viewers: export --to chrome --slim. The slices are written row by row from the trace in
 * memory. The text of the file is not read again. */
#include "webreport/export/chrome/chrome.h"

#include <stdio.h>

#include "webreport/export/chrome/flow_links.h"
#include "webreport/export/export_formats.h"
#include "webreport/export/filter.h"
#include "writer/base/id_map.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

struct writing {
    const struct tp_export *export;
    const struct tp_trace *trace;
    struct tp_trace_out *out;
    struct tp_chrome_rows rows;
    struct tp_chrome_lanes lanes;
    struct tp_filter_trace filter;
    int64_t first_ns;
    /* thread_first: for each thread, index in `events` of its first event; events: indexes of the trace's events,
     * grouped by thread, in order of time */
    uint32_t *thread_first, *events;
    struct tp_links links;
    int64_t *link_ids; /* for each link: number of its arrow in the output */
    /* both ends of each exported link, sorted by event; member `tie`: 2 * index of the link, plus 1 for the end of the
     * arrow */
    struct tp_keyed *ends;
    uint32_t end_count;
    int64_t lane_tid[TP_CHROME_MAX_LANES];
    int64_t place;         /* sort index of the next row in viewers */
    uint8_t *has_row_name; /* for each thread: 1 if the output already names the thread's first row */
};

static bool keeps_event(const struct writing *w, const struct tp_event *event)
{
    enum tp_trace_out_category category;
    struct tp_str text = tp_chrome_category(w->trace, event, &category);
    return text.len && w->filter.threads[event->thread] &&
           tp_filter_keeps_time(&w->filter, event->ts_ns, tp_event_end(event)) &&
           tp_filter_keeps_category(w->filter.filter, text);
}

/* ---- order of events and links ---- */

static void sort_events(struct writing *w)
{
    const struct tp_trace *trace = w->trace;
    struct tp_arena *arena = w->export->arena;
    uint32_t *first = w->thread_first = tp_arena_array(arena, (size_t)trace->thread_count + 2, sizeof *first);
    w->events = tp_arena_array(arena, trace->event_count, sizeof *w->events);
    for (uint32_t i = 0; i < trace->event_count; i++)
        first[trace->events[i].thread + 2] += keeps_event(w, &trace->events[i]);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        first[t + 2] += first[t + 1];
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (keeps_event(w, &trace->events[i]))
            w->events[first[trace->events[i].thread + 1]++] = i;
    for (uint32_t t = 0; t < trace->thread_count; t++)
        tp_order_sort(trace, w->events + first[t], first[t + 1] - first[t], arena);
}

static int64_t link_correlation(const struct writing *w, const struct tp_link *link)
{
    if (link->kind != TP_LINK_LAUNCH)
        return TP_NULL_INT;
    return w->trace->devices[w->trace->events[link->to].detail].correlation;
}

/* Numbers the arrows of all links. The arrow of a launch gets the launch's correlation id, as in torch's traces,
 * because TraceLens finds kernels by this id. Arrows to further kernels of a launch, and links without a correlation,
 * get numbers above all correlation ids. */
static void number_links(struct writing *w)
{
    struct tp_id_map used;
    int64_t next = 1;
    tp_id_map_init(&used, w->export->arena);
    w->link_ids = tp_arena_array(w->export->arena, w->links.count, sizeof *w->link_ids);
    for (uint32_t i = 0; i < w->links.count; i++) {
        int64_t correlation = link_correlation(w, &w->links.items[i]);
        if (correlation >= next && correlation < INT64_MAX - UINT32_MAX)
            next = correlation + 1;
    }
    for (uint32_t i = 0; i < w->links.count; i++) {
        int64_t correlation = link_correlation(w, &w->links.items[i]);
        bool has_number =
            correlation > 0 && correlation < next && *tp_id_map_find_or_add(&used, (uint64_t)correlation) == TP_NO_ID;
        if (has_number)
            *tp_id_map_find(&used, (uint64_t)correlation) = i;
        w->link_ids[i] = has_number ? correlation : next++;
    }
}

static void sort_links(struct writing *w)
{
    struct tp_arena *arena = w->export->arena;
    tp_links_build(&w->links, w->export->profile->model, arena);
    number_links(w);
    w->ends = tp_arena_array(arena, (size_t)w->links.count * 2, sizeof *w->ends);
    for (uint32_t i = 0; i < w->links.count; i++) {
        const struct tp_link *link = &w->links.items[i];
        const struct tp_event *from = &w->trace->events[link->from], *to = &w->trace->events[link->to];
        if (!keeps_event(w, from) || !keeps_event(w, to) || from->ts_ns > to->ts_ns)
            continue;
        w->ends[w->end_count++] = (struct tp_keyed){link->from, i, 0};
        w->ends[w->end_count++] = (struct tp_keyed){link->to, i, 1};
    }
    tp_sort_keyed(w->ends, w->end_count, arena);
}

/* ---- slices ---- */

static void write_links_of_event(struct writing *w, uint32_t event, const struct tp_trace_out_event *slice)
{
    uint32_t low = 0, high = w->end_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->ends[middle].key < (int64_t)event)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->end_count && w->ends[low].key == (int64_t)event; low++) {
        const struct tp_link *link = &w->links.items[w->ends[low].tie];
        struct tp_trace_out_flow flow = {.kind =
                                             link->kind == TP_LINK_LAUNCH ? TP_OUT_FLOW_LAUNCH : TP_OUT_FLOW_BACKWARD,
                                         .is_start = w->ends[low].item == 0,
                                         .id = w->link_ids[w->ends[low].tie],
                                         .pid = slice->pid,
                                         .tid = slice->tid,
                                         .ts_ns = slice->ts_ns};
        tp_trace_out_flow(w->out, &flow);
    }
}

static void write_row_name(struct writing *w, uint32_t thread, unsigned lane)
{
    const struct tp_thread *t = &w->trace->threads[thread];
    const struct tp_chrome_row *row = &w->rows.of_thread[thread];
    char text[512];
    struct tp_str base = t->name.len ? t->name : t->tid.is_text ? t->tid.text : TP_STR("thread");
    while (base.len && base.ptr[base.len - 1] == ' ') /* removes the blank at the end of a name such as "stream 7 " */
        base.len--;
    int n = snprintf(text, sizeof text, "%.*s", (int)(base.len < 400 ? base.len : 400), base.ptr);
    if (lane)
        n = snprintf(text, sizeof text, "%.*s (overlap %u)", (int)(base.len < 400 ? base.len : 400), base.ptr, lane);
    w->has_row_name[thread] = 1;
    w->lane_tid[lane] = lane ? w->rows.next_tid++ : row->tid;
    tp_trace_out_row(w->out, row->pid, w->lane_tid[lane], (struct tp_str){text, (size_t)n}, w->place++);
}

static void write_event(struct writing *w, uint32_t index)
{
    const struct tp_event *event = &w->trace->events[index];
    struct tp_trace_out_arg args[TP_CHROME_MAX_ARGS];
    enum tp_trace_out_category category = TP_OUT_OTHER;
    struct tp_str text = tp_chrome_category(w->trace, event, &category);
    int64_t end_ns = tp_event_end(event);
    unsigned known = w->lanes.count, lane = tp_chrome_lanes_find(&w->lanes, event->ts_ns, &end_ns);
    if (lane >= known)
        write_row_name(w, event->thread, lane);
    struct tp_trace_out_event slice = {.category = category,
                                       .other_category = text,
                                       .name = tp_trace_event_name(w->trace, event),
                                       .pid = w->rows.of_thread[event->thread].pid,
                                       .tid = w->lane_tid[lane],
                                       .ts_ns = event->ts_ns - w->first_ns,
                                       .dur_ns = end_ns - event->ts_ns,
                                       .args = args,
                                       .arg_count = tp_chrome_fill_args(w->trace, event, args)};
    if (end_ns <
        /* the slice was shortened, because there are not enough rows for all overlapping slices */
        tp_event_end(event)) {
        args[slice.arg_count] = tp_trace_out_int_arg(TP_OUT_NAMED, event->dur_ns);
        args[slice.arg_count++].name = TP_STR("whole duration (ns)");
    }
    tp_trace_out_complete(w->out, &slice);
    write_links_of_event(w, index, &slice);
}

/* ---- events without duration ---- */

/* Returns whether the filter keeps an event without duration. If so, also writes the name of the thread's row, unless
 * this name is already written. */
static bool keeps_instant_and_names_row(struct writing *w, uint32_t thread, int64_t ts_ns, struct tp_str category)
{
    bool is_kept = w->filter.threads[thread] && tp_filter_keeps_time(&w->filter, ts_ns, ts_ns) &&
                   tp_filter_keeps_category(w->filter.filter, category);
    if (is_kept && !w->has_row_name[thread])
        write_row_name(w, thread, 0);
    return is_kept;
}

static void write_memory_record(struct writing *w, const struct tp_memory *memory)
{
    const struct tp_chrome_row *row = &w->rows.of_thread[memory->thread];
    const struct tp_memory_place *device = tp_memory_place(w->trace, memory);
    const struct tp_memory_rare *more = tp_memory_rare(w->trace, memory);
    struct tp_trace_out_memory record = {.pid = row->pid,
                                         .tid = row->tid,
                                         .ts_ns = memory->ts_ns - w->first_ns,
                                         .is_out_of_memory = memory->flags & TP_MEMORY_OUT_OF_MEMORY,
                                         .address = more->address,
                                         .bytes = memory->bytes,
                                         .device_type = device->type == TP_NULL_INT ? 0 : device->type,
                                         .device_id = device->id == TP_NULL_INT ? -1 : device->id,
                                         .total_allocated_bytes = more->total_allocated,
                                         .total_reserved_bytes = more->total_reserved};
    char name[96];
    int n = snprintf(name, sizeof name, "memory of device %lld:%lld", (long long)record.device_type,
                     (long long)record.device_id);
    struct tp_trace_out_value values[2] = {{TP_STR("allocated"), (double)more->total_allocated},
                                           {TP_STR("reserved"), (double)more->total_reserved}};
    if (more->total_allocated == TP_NULL_INT)
        record.total_allocated_bytes = 0;
    else
        tp_trace_out_counter(w->out, (struct tp_str){name, (size_t)n}, row->pid, record.ts_ns, values,
                             more->total_reserved == TP_NULL_INT ? 1 : 2);
    if (more->total_reserved == TP_NULL_INT)
        record.total_reserved_bytes = 0;
    tp_trace_out_memory(w->out, &record);
}

static void write_sample(struct writing *w, const struct tp_sample *sample)
{
    struct tp_trace_out_arg args[2] = {
        tp_trace_out_int_arg(TP_OUT_CPU_NS, sample->cpu_ns),
        tp_trace_out_text_arg(TP_OUT_CALL_STACK, tp_strings_get(&w->trace->stack_texts, sample->stack))};
    struct tp_trace_out_event moment = {.category = TP_OUT_OTHER,
                                        .other_category = TP_STR("cpu_sample"),
                                        .name = TP_STR("sample"),
                                        .pid = w->rows.of_thread[sample->thread].pid,
                                        .tid = w->rows.of_thread[sample->thread].tid,
                                        .ts_ns = sample->ts_ns - w->first_ns,
                                        .args = args,
                                        .arg_count = sample->stack == TP_NO_ID ? 1 : 2};
    tp_trace_out_instant(w->out, &moment);
}

static void write_instant_events(struct writing *w)
{
    const struct tp_trace *trace = w->trace;
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (keeps_instant_and_names_row(w, trace->memory[i].thread, trace->memory[i].ts_ns,
                                        TP_STR("cpu_instant_event")))
            write_memory_record(w, &trace->memory[i]);
    for (uint32_t i = 0; i < trace->sample_count; i++)
        if (keeps_instant_and_names_row(w, trace->samples[i].thread, trace->samples[i].ts_ns, TP_STR("cpu_sample")))
            write_sample(w, &trace->samples[i]);
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        const struct tp_counter *counter = &trace->counters[i];
        struct tp_trace_out_value value = {TP_STR("value"), counter->value};
        if (tp_filter_keeps_time(&w->filter, counter->ts_ns, counter->ts_ns) &&
            tp_filter_keeps_category(w->filter.filter, TP_STR("counter")))
            tp_trace_out_counter(w->out, tp_strings_get(&trace->names, counter->name),
                                 trace->process_count ? w->rows.written_pids[0] : 0, counter->ts_ns - w->first_ns,
                                 &value, 1);
    }
}

/* ---- file ---- */

static int write_all_in_guard(void *context, struct tp_error *err)
{
    struct writing *w = context;
    (void)err;
    const struct tp_trace *trace = w->trace;
    for (uint32_t i = 1; i < trace->process_count; i++)
        if (w->rows.written_pids[i] != TP_TRACE_OUT_SPANS_PID) /* skips the process that the writer itself adds */
            tp_trace_out_process(w->out, w->rows.written_pids[i], trace->processes[i].name, trace->processes[i].labels,
                                 i);
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        tp_chrome_lanes_clear(&w->lanes);
        for (uint32_t i = w->thread_first[t]; i < w->thread_first[t + 1] && !tp_trace_out_error_code(w->out); i++)
            write_event(w, w->events[i]);
    }
    write_instant_events(w);
    return TP_OK;
}

static int write_file(struct writing *w, const char *path, struct tp_error *err)
{
    const struct tp_trace *trace = w->trace;
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    options.is_gzip = true;
    options.comment = TP_EXPORT_MARK;
    options.base_time_ns = tp_sat_add(trace->base_time_ns, w->first_ns);
    if (trace->process_count) {
        options.process_id = w->rows.written_pids[0];
        options.process_name = trace->processes[0].name;
        options.process_labels = trace->processes[0].labels;
    }
    int code = tp_trace_out_open(&w->out, path, &options, err);
    if (code < 0)
        return code;
    code = tp_arena_run(w->export->arena, write_all_in_guard, w, NULL);
    if (code == TP_OK)
        return tp_trace_out_close(&w->out, TP_NULL_INT, err);
    tp_trace_out_discard(&w->out);
    return tp_error_set(err, code, 0, "%s: %s", path, code == TP_ELIMIT ? "a limit was reached" : "out of memory");
}

int tp_export_chrome_slim(const struct tp_export *export, const char *path, struct tp_error *err)
{
    static const struct tp_filter everything = {.from_ns = INT64_MIN, .until_ns = INT64_MAX};
    struct writing *w = tp_arena_alloc(export->arena, sizeof *w);
    w->export = export;
    w->trace = export->profile->trace;
    /* times are relative to the first event, because viewers keep nanoseconds only for small numbers */
    w->first_ns = tp_filter_first_ns(w->trace);
    int code = tp_filter_apply(&w->filter, export->filter ? export->filter : &everything, export->profile->model,
                               w->first_ns, err);
    if (code < 0)
        return code;
    tp_chrome_rows_build(&w->rows, w->trace, export->arena);
    tp_chrome_lanes_init(&w->lanes, export->arena);
    w->has_row_name = tp_arena_array(export->arena, w->trace->thread_count, sizeof *w->has_row_name);
    sort_events(w);
    sort_links(w);
    return write_file(w, path, err);
}
