/* Collects what export --to perfetto writes, in the order of time, and gives each slice a lane. See perfetto_export.h.
 *
 * Slices of one track must be nested. A slice that overlaps an open slice of its thread without being inside it is on
 * another lane, a child track of the thread. */
#include "webreport/export/perfetto/perfetto_export.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { SEARCHED_LANES = 32 }; /* lanes of a thread that are searched for room; a slice without room gets a new lane */

/* ---- lanes ---- */

/* An open slice of a lane. */
struct open_slice {
    int64_t end_ns;
    uint32_t event;
};

/* The lanes of one thread. */
struct thread_lanes {
    struct tp_vec lanes; /* numbers of the lanes; elements: uint32_t */
};

struct collecting {
    struct tp_pexport *x;
    struct thread_lanes *threads;
    struct tp_vec stacks; /* open slices of each lane; elements: struct tp_vec of struct open_slice */
};

static void add_edge(struct tp_pexport *x, enum tp_edge_kind kind, int64_t ts_ns, uint32_t item, uint32_t lane)
{
    if (x->edges.count >= TP_MAX_EVENTS)
        tp_arena_fail(x->arena, TP_ELIMIT);
    *(struct tp_edge *)tp_vec_push(&x->edges) =
        (struct tp_edge){.ts_ns = ts_ns, .item = item, .lane = lane & 0xFFFFFFF, .kind = kind};
}

/* Closes the slices of a lane that end before or at `ts_ns`. */
static void close_slices(struct collecting *c, uint32_t lane, int64_t ts_ns)
{
    struct tp_vec *stack = TP_AT(&c->stacks, struct tp_vec, lane);
    while (stack->count && TP_AT(stack, struct open_slice, stack->count - 1)->end_ns <= ts_ns) {
        const struct open_slice *top = TP_AT(stack, struct open_slice, --stack->count);
        add_edge(c->x, TP_EDGE_END, top->end_ns, top->event, lane);
    }
}

static uint32_t add_lane(struct collecting *c, uint32_t thread)
{
    struct tp_vec *lanes = &c->threads[thread].lanes;
    uint32_t lane = (uint32_t)c->x->lanes.count;
    *(struct tp_lane *)tp_vec_push(&c->x->lanes) = (struct tp_lane){.thread = thread, .level = (uint32_t)lanes->count};
    *(struct tp_vec *)tp_vec_push(&c->stacks) = TP_VEC(c->x->arena, struct open_slice);
    *(uint32_t *)tp_vec_push(lanes) = lane;
    return lane;
}

/* Returns the first lane of a thread in which a slice fits. */
static uint32_t find_lane(struct collecting *c, uint32_t thread, int64_t start_ns, int64_t end_ns)
{
    struct tp_vec *lanes = &c->threads[thread].lanes;
    for (size_t i = 0; i < lanes->count && i < SEARCHED_LANES; i++) {
        uint32_t lane = *TP_AT(lanes, uint32_t, i);
        struct tp_vec *stack = TP_AT(&c->stacks, struct tp_vec, lane);
        close_slices(c, lane, start_ns);
        if (!stack->count || end_ns <= TP_AT(stack, struct open_slice, stack->count - 1)->end_ns)
            return lane;
    }
    return add_lane(c, thread);
}

/* Adds the begin of a slice, and the ends of earlier slices of its lane. */
static void add_slice(struct collecting *c, uint32_t event)
{
    const struct tp_event *e = &c->x->trace->events[event];
    int64_t end_ns = tp_sat_add(e->ts_ns, e->dur_ns);
    uint32_t lane = find_lane(c, e->thread, e->ts_ns, end_ns);
    add_edge(c->x, TP_EDGE_BEGIN, e->ts_ns, event, lane);
    *(struct open_slice *)tp_vec_push(TP_AT(&c->stacks, struct tp_vec, lane)) = (struct open_slice){end_ns, event};
}

/* ---- order ---- */

static bool is_stage(const struct tp_event *event)
{
    return tp_kind_is_device(event->kind) || event->kind == TP_KIND_GPU_ANNOTATION;
}

/* Orders events by thread and start, longer events first, so that an event comes before the events inside it. */
static int compare_events(const void *x, const void *y, const void *context)
{
    const struct tp_trace *trace = context;
    const struct tp_event *a = &trace->events[*(const uint32_t *)x], *b = &trace->events[*(const uint32_t *)y];
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return a->dur_ns > b->dur_ns ? -1 : a->dur_ns < b->dur_ns;
}

static void reverse(uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* Moves events without a duration to the front of the events with the same start, if they come first in the file. The
 * file order then stays the order of the recording: such an event ended before the longer event began. */
static void move_empty_events(const struct tp_trace *trace, uint32_t *order, uint32_t count)
{
    uint32_t longer = count;
    while (longer > 0 && trace->events[order[longer - 1]].dur_ns == 0)
        longer--;
    uint32_t end = longer;
    while (longer > 0 && end < count && order[end] < order[0])
        end++;
    if (end == longer)
        return;
    reverse(order, longer); /* three reversals exchange the two parts */
    reverse(order + longer, end - longer);
    reverse(order, end);
}

/* Calls move_empty_events for each group of events with the same thread and start. */
static void move_all_empty_events(const struct tp_trace *trace, uint32_t *order, uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct tp_event *event = &trace->events[order[first]];
        for (end = first + 1; end < count && trace->events[order[end]].ts_ns == event->ts_ns &&
                              trace->events[order[end]].thread == event->thread;)
            end++;
        if (end - first > 1)
            move_empty_events(trace, order + first, end - first);
    }
}

static int compare_edges(const void *x, const void *y, const void *context)
{
    const struct tp_edge *a = x, *b = y;
    (void)context;
    return a->ts_ns < b->ts_ns ? -1 : a->ts_ns > b->ts_ns;
}

static void add_slices_of_all_threads(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    struct collecting c = {.x = x, .stacks = TP_VEC(x->arena, struct tp_vec)};
    uint32_t *order = tp_arena_array(x->arena, trace->event_count, sizeof *order), count = 0;
    c.threads = tp_arena_array(x->arena, trace->thread_count, sizeof *c.threads);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        c.threads[t].lanes = TP_VEC(x->arena, uint32_t);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (!is_stage(&trace->events[i]))
            order[count++] = i;
    tp_merge_sort(x->arena, order, count, sizeof *order, compare_events, trace);
    move_all_empty_events(trace, order, count);
    for (uint32_t i = 0; i < count; i++)
        add_slice(&c, order[i]);
    for (uint32_t lane = 0; lane < x->lanes.count; lane++)
        close_slices(&c, lane, INT64_MAX);
    tp_arena_free_item(x->arena, order, trace->event_count * sizeof *order);
}

/* ---- links and correlations ---- */

static int compare_links(const void *x, const void *y, const void *context)
{
    const struct tp_link_end *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->ts_ns < b->ts_ns ? -1 : a->ts_ns > b->ts_ns;
}

/* Returns the first end of a link on a thread at a time or later. */
static uint32_t find_link(const struct tp_pexport *x, uint32_t thread, int64_t ts_ns)
{
    const struct tp_link_end wanted = {.thread = thread, .ts_ns = ts_ns};
    uint32_t low = 0, high = x->trace->flow_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_links(&x->links[middle], &wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct tp_link_end *tp_pexport_links_at(struct tp_pexport *x, const struct tp_event *event, uint32_t *count)
{
    uint32_t first = find_link(x, event->thread, event->ts_ns), end = first;
    while (end < x->trace->flow_count && x->links[end].thread == event->thread && x->links[end].ts_ns == event->ts_ns)
        end++;
    *count = end - first;
    return x->links + first;
}

/* Sorts the ends of links, and gives each end to the first operator that begins there. Ends without an operator become
 * edges of their own. */
static void collect_links(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    x->links = tp_arena_array(x->arena, trace->flow_count, sizeof *x->links);
    for (uint32_t i = 0; i < trace->flow_count; i++)
        x->links[i] = (struct tp_link_end){trace->flows[i].ts_ns, trace->flows[i].thread, i, TP_NO_ID};
    tp_merge_sort(x->arena, x->links, trace->flow_count, sizeof *x->links, compare_links, NULL);
    for (uint32_t i = 0; i < trace->event_count && trace->flow_count; i++) {
        const struct tp_event *event = &trace->events[i];
        uint32_t count;
        struct tp_link_end *ends = event->kind == TP_KIND_OPERATOR ? tp_pexport_links_at(x, event, &count) : NULL;
        for (uint32_t k = 0; ends && k < count; k++)
            ends[k].event = ends[k].event == TP_NO_ID ? i : ends[k].event;
    }
    for (uint32_t i = 0; i < trace->flow_count; i++)
        if (x->links[i].event == TP_NO_ID)
            add_edge(x, TP_EDGE_LINK, x->links[i].ts_ns, x->links[i].flow, 0);
}

static int compare_correlated(const void *x, const void *y, const void *context)
{
    const struct tp_correlated *a = x, *b = y;
    (void)context;
    return a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static void collect_stages(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    struct tp_vec correlated = TP_VEC(x->arena, struct tp_correlated);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        if (!is_stage(event))
            continue;
        add_edge(x, TP_EDGE_STAGE, event->ts_ns, i, 0);
        if (tp_kind_is_device(event->kind) && event->detail != TP_NO_ID &&
            trace->devices[event->detail].correlation > 0)
            *(struct tp_correlated *)tp_vec_push(&correlated) =
                (struct tp_correlated){trace->devices[event->detail].correlation, i};
    }
    tp_merge_sort(x->arena, correlated.data, correlated.count, sizeof(struct tp_correlated), compare_correlated, NULL);
    x->correlated = correlated.data;
    x->correlated_count = (uint32_t)correlated.count;
}

void tp_pexport_collect(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    x->edges = TP_VEC(x->arena, struct tp_edge);
    x->lanes = TP_VEC(x->arena, struct tp_lane);
    add_slices_of_all_threads(x);
    collect_stages(x);
    collect_links(x);
    for (uint32_t i = 0; i < trace->memory_count; i++)
        add_edge(x, TP_EDGE_MEMORY, trace->memory[i].ts_ns, i, 0);
    for (uint32_t i = 0; i < trace->counter_count; i++)
        add_edge(x, TP_EDGE_COUNTER, trace->counters[i].ts_ns, i, 0);
    for (uint32_t i = 0; i < trace->input.counter_count; i++)
        add_edge(x, TP_EDGE_GPU_COUNTER, trace->input.counters[i].ts_ns, i, 0);
    if (trace->reading.has_window_end)
        add_edge(x, TP_EDGE_WINDOW_END, trace->reading.window_end_ns, 0, 0);
    tp_merge_sort(x->arena, x->edges.data, x->edges.count, sizeof(struct tp_edge), compare_edges, NULL);
}
