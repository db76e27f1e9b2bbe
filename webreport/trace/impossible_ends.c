/* Corrects impossible ends of events: see impossible_ends.h. */
#include "webreport/trace/impossible_ends.h"

#include "writer/base/rule_sort.h"

/* An operation that ends more than this time, ns, after a later operation of its stream has an impossible end.
 * Clocks differ by only a few microseconds, and kernels of one stream overlap by less than this time. */
static const int64_t LEAST_LATE_NS = 100000;

/* Number of later operations of the same stream with which each operation is compared. */
enum { MOST_COMPARED = 64 };

/* Events of one family (Python calls, or device operations), grouped by row and sorted by start within each row. */
struct rows {
    uint32_t *first; /* row t has the items from index first[t] to first[t + 1] - 1 */
    uint32_t *items; /* indexes in trace->events, grouped by row */
    uint32_t count;
};

static bool is_frame(unsigned kind)
{
    return kind == TP_KIND_FRAME || kind == TP_KIND_MODULE;
}

/* Compares two events by start. A Python call comes before the calls that it encloses. */
static inline __attribute__((always_inline)) bool comes_before_by_start(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_event *x = (const struct tp_event *)context + i, *y = (const struct tp_event *)context + j;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns;
    if (x->dur_ns != y->dur_ns && is_frame(x->kind))
        return x->dur_ns > y->dur_ns;
    return x->ordinal < y->ordinal;
}

static void collect_events_by_row(struct rows *rows, const struct tp_trace *trace, bool of_frames)
{
    uint32_t *first = rows->first = tp_arena_array(trace->arena, (size_t)trace->thread_count + 2, sizeof *first);
    rows->count = 0;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (of_frames ? !is_frame(e->kind) : !tp_kind_is_device(e->kind))
            continue;
        first[e->thread + 2]++;
        rows->count++;
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        first[t + 2] += first[t + 1];
    rows->items = tp_arena_array(trace->arena, rows->count, sizeof *rows->items);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (of_frames ? is_frame(e->kind) : tp_kind_is_device(e->kind))
            rows->items[first[e->thread + 1]++] = i; /* after the loop, first[t + 1] is the start of row t + 1 */
    }
    for (uint32_t t = 0; t < trace->thread_count; t++)
        tp_sort_by_rule(rows->items + first[t], first[t + 1] - first[t], trace->arena, trace->events,
                        comes_before_by_start);
}

static void free_events_by_row(struct rows *rows, const struct tp_trace *trace)
{
    tp_arena_free_item(trace->arena, rows->items, rows->count * sizeof *rows->items);
    tp_arena_free_item(trace->arena, rows->first, ((size_t)trace->thread_count + 2) * sizeof *rows->first);
}

/* Sets the end of an event to end_ns and counts the event in *cuts. */
static void end_event_earlier(struct tp_event *e, int64_t end_ns, struct tp_cut *cuts)
{
    int64_t kept_ns = end_ns > e->ts_ns ? end_ns - e->ts_ns : 0;
    if (!cuts->count++ || e->dur_ns > cuts->recorded_ns) {
        cuts->name = e->name;
        cuts->recorded_ns = e->dur_ns;
        cuts->kept_ns = kept_ns;
    }
    e->dur_ns = kept_ns;
}

/* ---- Python calls ---- */

static void cut_frames_of_row(struct tp_trace *trace, const uint32_t *items, uint32_t count, struct tp_vec *open)
{
    open->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_event *e = &trace->events[items[i]];
        while (open->count && *TP_AT(open, int64_t, open->count - 1) <= e->ts_ns)
            open->count--;
        int64_t limit = open->count ? *TP_AT(open, int64_t, open->count - 1) : INT64_MAX;
        if (tp_event_end(e) > limit)
            end_event_earlier(e, limit, &trace->reading.cut_frames);
        *(int64_t *)tp_vec_push(open) = tp_event_end(e);
    }
}

static void cut_frames(struct tp_trace *trace)
{
    struct rows rows;
    struct tp_vec open = TP_VEC(trace->arena, int64_t);
    collect_events_by_row(&rows, trace, true);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        cut_frames_of_row(trace, rows.items + rows.first[t], rows.first[t + 1] - rows.first[t], &open);
    free_events_by_row(&rows, trace);
}

/* ---- device operations ---- */

/* Returns true if y is in the stream of x and belongs to another launch. Operations of one graph launch have equal
 * correlations and no order. */
static bool is_later_in_stream(const struct tp_trace *trace, const struct tp_event *x, const struct tp_event *y)
{
    const struct tp_device_detail *a = &trace->devices[x->detail], *b = &trace->devices[y->detail];
    const struct tp_device_setup *p = &trace->setups[a->setup], *q = &trace->setups[b->setup];
    return a->correlation > 0 && b->correlation > 0 && a->correlation != b->correlation && p->device == q->device &&
           p->stream == q->stream;
}

/* Checks whether operation `at` ends long after a later operation of its stream. If so, returns its latest possible
 * end: the start of the next operation, ns. Otherwise returns INT64_MAX. */
static int64_t latest_possible_end_ns(const struct tp_trace *trace, const uint32_t *items, uint32_t at, uint32_t end)
{
    const struct tp_event *e = &trace->events[items[at]];
    int64_t end_ns = tp_event_end(e), next_ns = INT64_MAX;
    end = end - at > MOST_COMPARED ? at + MOST_COMPARED : end;
    for (uint32_t k = at + 1; k < end && trace->events[items[k]].ts_ns < end_ns; k++) {
        const struct tp_event *later = &trace->events[items[k]];
        if (!is_later_in_stream(trace, e, later))
            continue;
        next_ns = next_ns == INT64_MAX ? later->ts_ns : next_ns;
        if (end_ns - tp_event_end(later) > LEAST_LATE_NS)
            return next_ns;
    }
    return INT64_MAX;
}

/* Cuts the operations of a row that have an impossible end. Cuts nothing if more than half of the operations have one,
 * because such operations really run concurrently. */
static void cut_operations_of_row(struct tp_trace *trace, const uint32_t *items, uint32_t count)
{
    uint32_t late = 0;
    for (uint32_t i = 0; i < count; i++)
        late += latest_possible_end_ns(trace, items, i, count) != INT64_MAX;
    if (!late || late > count / 2)
        return;
    for (uint32_t i = 0; i < count; i++) {
        int64_t limit = latest_possible_end_ns(trace, items, i, count);
        if (limit != INT64_MAX)
            end_event_earlier(&trace->events[items[i]], limit, &trace->reading.cut_operations);
    }
}

/* Returns true if the operations of a stream run one after the other, as on CUDA. Queues of AMD's and Intel's
 * devices run operations concurrently. */
static bool has_streams_in_order(const struct tp_trace *trace)
{
    if (trace->foreign_call_cats[1]) /* nonzero if the trace has calls of a runtime other than CUDA */
        return false;
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_RUNTIME)
            return !tp_str_starts(tp_trace_event_name(trace, &trace->events[i]), "hip");
    return true;
}

static void cut_operations(struct tp_trace *trace)
{
    struct rows rows;
    if (!has_streams_in_order(trace))
        return;
    collect_events_by_row(&rows, trace, false);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        cut_operations_of_row(trace, rows.items + rows.first[t], rows.first[t + 1] - rows.first[t]);
    free_events_by_row(&rows, trace);
}

void tp_impossible_ends_cut(struct tp_trace *trace)
{
    if (trace->reading.read[TP_KIND_FRAME] || trace->reading.read[TP_KIND_MODULE])
        cut_frames(trace);
    if (trace->device_count)
        cut_operations(trace);
}
