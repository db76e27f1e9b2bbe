/* Counts events with an impossible process, thread, device, stream or time: see conflicts_parts.h. A wrong digit in one
 * of these values moves the event to a thread, stream or time where no other events are. */
#include "webreport/model/conflicts_parts.h"

#include <string.h>

#include "webreport/model/marks.h"
#include "writer/base/sort.h"

/* ---- threads without a name ---- */

/* Counts of the events of a thread. */
struct thread_events {
    uint32_t ranges; /* number of operators, annotations, Python functions and memory records */
    /* true if the thread has runtime calls; libraries make calls on threads that the recorder does not name */
    bool has_calls;
};

static bool may_lack_name(const struct tp_thread *thread)
{
    /* Python functions of an unknown thread are on thread 0, which has no name */
    return thread->tid.is_text || thread->tid.number <= 0;
}

/* Counts events on threads that have no name and at most two events. The recorder names each thread that has operators.
 * Returns 0 if many events are on threads without a name. */
static uint64_t count_unnamed_thread_events(const struct tp_trace *trace, const struct tp_order *order,
                                            struct tp_arena *arena)
{
    enum { MOST = 2, LEAST_NAMED = 8 };
    struct thread_events *threads = tp_arena_array(arena, trace->thread_count, sizeof *threads);
    uint64_t named = 0, unnamed = 0, alone = 0;
    for (uint32_t i = 0; i < order->host_count; i++) {
        const struct tp_event *e = &trace->events[order->host[i]];
        threads[e->thread].has_calls |= e->kind == TP_KIND_RUNTIME;
        threads[e->thread].ranges += e->kind != TP_KIND_RUNTIME;
    }
    for (uint32_t i = 0; i < trace->memory_count; i++)
        threads[trace->memory[i].thread].ranges++;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        bool has_name = trace->threads[t].name.len;
        bool is_alone = !has_name && !threads[t].has_calls && threads[t].ranges <= MOST;
        named += has_name ? threads[t].ranges : 0;
        unnamed += has_name ? 0 : threads[t].ranges;
        alone += is_alone && !may_lack_name(&trace->threads[t]) ? threads[t].ranges : 0;
    }
    tp_arena_free_item(arena, threads, trace->thread_count * sizeof *threads);
    return named >= LEAST_NAMED ? tp_conflicts_count_if_few(unnamed, named + unnamed) ? alone : 0 : 0;
}

/* ---- devices and streams of operations ---- */

static bool is_row_number(const struct tp_row_id *row, int64_t number)
{
    return row->is_text || number == TP_NULL_INT || row->number == number;
}

/* Counts device operations whose arguments name a device or stream that differs from their pid and tid. */
static uint64_t count_misplaced_operations(const struct tp_trace *trace, const struct tp_order *order)
{
    uint64_t devices = 0, streams = 0;
    for (uint32_t i = 0; i < order->device_count; i++) {
        const struct tp_event *e = &trace->events[order->device[i]];
        const struct tp_thread *row = &trace->threads[e->thread];
        const struct tp_device_setup *setup = tp_device_setup(trace, e->detail);
        devices += !is_row_number(&row->pid, setup->device);
        streams += !is_row_number(&row->tid, setup->stream);
    }
    return tp_conflicts_count_if_few(devices, order->device_count) +
           tp_conflicts_count_if_few(streams, order->device_count);
}

/* ---- operators that overlap partly ---- */

/* Counts operators that start inside another operator of their thread and end after it. */
static uint64_t count_crossing_operators(const struct tp_trace *trace, const struct tp_order *order,
                                         struct tp_arena *arena)
{
    struct tp_vec open = TP_VEC(arena, int64_t);
    uint64_t crossing = 0, count = 0;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        open.count = 0;
        for (uint32_t i = order->thread_first[t]; i < order->thread_first[t + 1]; i++) {
            const struct tp_event *e = &trace->events[order->host[i]];
            if (e->kind != TP_KIND_OPERATOR || e->flags & TP_EVENT_UNFINISHED)
                continue;
            while (open.count && *TP_AT(&open, int64_t, open.count - 1) <= e->ts_ns)
                open.count--;
            crossing += open.count && tp_event_end(e) > *TP_AT(&open, int64_t, open.count - 1);
            count++;
            *(int64_t *)tp_vec_push(&open) = tp_event_end(e);
        }
    }
    return tp_conflicts_count_if_few(crossing, count);
}

/* ---- replays of CUDA graphs ---- */

/* Compares device operations by (graph, correlation, index). */
static int compare_by_replay(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_trace *trace = context;
    int64_t graph_i = tp_device_setup(trace, i)->graph_id, graph_j = tp_device_setup(trace, j)->graph_id;
    if (graph_i != graph_j)
        return graph_i < graph_j ? -1 : 1;
    int64_t x = trace->devices[i].correlation, y = trace->devices[j].correlation;
    return x != y ? (x < y ? -1 : 1) : (i > j) - (i < j);
}

/* Returns 1 if exactly one replay has fewer operations than the longest replay, and this replay is neither the first
 * nor the last. Otherwise returns 0. sizes: number of operations of each replay of one graph. */
static uint64_t count_shorter_replays(const uint32_t *sizes, uint32_t count)
{
    uint32_t most = 0, shorter = 0;
    for (uint32_t i = 0; i < count; i++)
        most = sizes[i] > most ? sizes[i] : most;
    for (uint32_t i = 1; i + 1 < count; i++)
        shorter += sizes[i] < most;
    return shorter == 1 && count > 3 ? shorter : 0;
}

/* Counts replays of a graph that have fewer operations than other replays of this graph. Ignores the first and the last
 * replay, because the recording may contain only a part of them. */
static uint64_t count_short_replays(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint32_t *rows = tp_arena_array(arena, trace->device_count, sizeof *rows), count = 0, replays = 0;
    uint32_t *sizes = tp_arena_array(arena, trace->device_count + 1u, sizeof *sizes);
    uint64_t shorter = 0;
    for (uint32_t i = 0; i < trace->device_count; i++)
        if (tp_device_setup(trace, i)->graph_id > 0 && trace->devices[i].correlation > 0)
            rows[count++] = i;
    tp_sort_rows(rows, count, compare_by_replay, trace, arena);
    for (uint32_t k = 0; k < count; k++) {
        bool is_same_graph =
            k && tp_device_setup(trace, rows[k])->graph_id == tp_device_setup(trace, rows[k - 1])->graph_id;
        bool is_same = is_same_graph && trace->devices[rows[k]].correlation == trace->devices[rows[k - 1]].correlation;
        if (!is_same_graph) {
            shorter += count_shorter_replays(sizes, replays);
            replays = 0;
        }
        replays += !is_same;
        sizes[replays - 1] = is_same ? sizes[replays - 1] + 1 : 1;
    }
    shorter += count_shorter_replays(sizes, replays);
    tp_arena_free_item(arena, sizes, (trace->device_count + 1u) * sizeof *sizes);
    tp_arena_free_item(arena, rows, trace->device_count * sizeof *rows);
    return shorter;
}

/* ---- collectives of the backend gloo ---- */

enum { OF_GLOO = 1, OF_DISPATCHER = 2, OF_OTHER_BACKEND = 4 };

static unsigned communication_origin(struct tp_str name)
{
    const char *backend = tp_name_comm_backend(name);
    if (!backend || tp_str_equal(name, TP_STR("record_param_comms")))
        return 0;
    return strcmp(backend, "gloo") == 0 ? OF_GLOO : strcmp(backend, "c10d") == 0 ? OF_DISPATCHER : OF_OTHER_BACKEND;
}

/* Counts missing collectives of the backend gloo. gloo runs each dispatcher call on another thread. So there must be
 * one gloo collective for every dispatcher call before the last gloo collective. Returns 0 if the trace also has
 * another backend. */
static uint64_t count_missing_collectives(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint8_t *names = tp_arena_array(arena, trace->names.count + 1u, sizeof *names);
    uint64_t calls = 0, collectives = 0;
    int64_t last_ns = INT64_MIN;
    unsigned seen = 0;
    for (uint32_t i = 0; i < trace->names.count; i++)
        names[i] = (uint8_t)communication_origin(trace->names.items[i]);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        seen |= names[e->name];
        collectives += names[e->name] == OF_GLOO;
        last_ns = names[e->name] == OF_GLOO && e->ts_ns > last_ns ? e->ts_ns : last_ns;
    }
    for (uint32_t i = 0; seen == (OF_GLOO | OF_DISPATCHER) && i < trace->event_count; i++)
        calls += names[trace->events[i].name] == OF_DISPATCHER && trace->events[i].ts_ns < last_ns;
    tp_arena_free_item(arena, names, (trace->names.count + 1u) * sizeof *names);
    return calls > collectives ? calls - collectives : 0;
}

uint64_t tp_conflicts_count_rows(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena)
{
    return count_unnamed_thread_events(trace, order, arena) + count_misplaced_operations(trace, order) +
           count_crossing_operators(trace, order, arena) + count_short_replays(trace, arena) +
           count_missing_collectives(trace, arena);
}
