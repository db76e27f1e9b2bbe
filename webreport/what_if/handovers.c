/* Finds the thread that the graph follows, hand-overs of work to other threads, and times in which a thread does not
 * work. */
#include <stdio.h>

#include "webreport/what_if/graph_stages.h"

/* ---- order of threads ---- */

/* Writes a pid or tid as the definitions do: a number, or a text in quotes. */
static void put_row_id(char *out, size_t size, const struct tp_row_id *id)
{
    if (id->is_text)
        snprintf(out, size, "'%.*s'", (int)(id->text.len > 200 ? 200 : id->text.len), id->text.ptr);
    else
        snprintf(out, size, "%lld", (long long)id->number);
}

/* Compares two threads by the text "(pid, tid)". Returns <0, 0 or >0. */
static int compare_thread_texts(const struct tp_trace *trace, uint32_t x, uint32_t y)
{
    char texts[2][512];
    const uint32_t threads[] = {x, y};
    for (int i = 0; i < 2; i++) {
        char pid[240], tid[240];
        put_row_id(pid, sizeof pid, &trace->threads[threads[i]].pid);
        put_row_id(tid, sizeof tid, &trace->threads[threads[i]].tid);
        snprintf(texts[i], sizeof texts[i], "(%s, %s)", pid, tid);
    }
    return strcmp(texts[0], texts[1]);
}

static int compare_threads(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_graph_build *build = context;
    uint32_t reference = build->graph->reference;
    if (x == reference || y == reference)
        return x == y ? 0 : x == reference ? -1 : 1;
    return compare_thread_texts(build->model->trace, x, y);
}

static bool has_events(const struct tp_model *model, uint32_t thread)
{
    return thread != TP_NO_ID && model->order->thread_first[thread] < model->order->thread_first[thread + 1];
}

/* ---- threads of links between forward and backward work ---- */

struct links {
    uint32_t *sources; /* for each thread: number of links that start on it and end on another thread */
    bool *is_target;   /* for each thread: true if a link from another thread ends on it */
};

static struct links find_links(const struct tp_graph_build *build)
{
    const struct tp_trace *trace = build->model->trace;
    struct links links = {tp_arena_array(build->arena, trace->thread_count, sizeof *links.sources),
                          tp_arena_array(build->arena, trace->thread_count, sizeof *links.is_target)};
    uint32_t *start = tp_arena_array(build->arena, trace->texts.count, sizeof *start); /* 1 + thread */
    for (uint32_t i = 0; i < trace->flow_count; i++)
        if (trace->flows[i].is_start)
            start[trace->flows[i].id] = 1 + trace->flows[i].thread;
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        const struct tp_flow *flow = &trace->flows[i];
        if (flow->is_start || !start[flow->id] || start[flow->id] - 1 == flow->thread)
            continue;
        links.sources[start[flow->id] - 1]++;
        links.is_target[flow->thread] = true;
    }
    tp_arena_free_item(build->arena, start, trace->texts.count * sizeof *start);
    return links;
}

static uint32_t find_reference(const struct tp_graph_build *build, const struct links *links)
{
    const struct tp_model *model = build->model;
    const struct tp_trace *trace = model->trace;
    for (uint32_t i = 0; i < model->step_count; i++)
        if (model->steps[i].event != TP_NO_ID)
            return trace->events[model->steps[i].event].thread;
    uint32_t best = TP_NO_ID, first = TP_NO_ID;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        if (!has_events(model, t))
            continue;
        if (first == TP_NO_ID || compare_thread_texts(trace, t, first) < 0)
            first = t;
        if (links->sources[t] &&
            (best == TP_NO_ID || links->sources[t] > links->sources[best] ||
             (links->sources[t] == links->sources[best] && compare_thread_texts(trace, t, best) < 0)))
            best = t;
    }
    return best != TP_NO_ID ? best : has_events(model, model->host_main) ? model->host_main : first;
}

/* Lists the threads with host events: the reference thread first, then the others by their texts. */
static void list_threads(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    build->threads = tp_arena_array(build->arena, model->trace->thread_count, sizeof *build->threads);
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        if (has_events(model, t))
            build->threads[build->thread_count++] = t;
    tp_sort_rows(build->threads, build->thread_count, compare_threads, build, build->arena);
}

/* ---- hand-overs ---- */

typedef bool tp_wants_event(const struct tp_model *model, const struct tp_event *event);

static bool is_work_of_worker(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_RUNTIME ||
           (e->kind == TP_KIND_ANNOTATION && !(model->marks[e->name] & TP_MARK_STEP));
}

static bool is_work_of_reference(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_RUNTIME ||
           (e->kind == TP_KIND_ANNOTATION && model->marks[e->name] & TP_MARK_LOADER);
}

static bool is_any(const struct tp_model *model, const struct tp_event *e)
{
    (void)model, (void)e;
    return true;
}

/* Returns the union of the wanted events of a thread. */
static struct tp_intervals times_of_thread(const struct tp_graph_build *build, uint32_t thread, tp_wants_event *wants)
{
    const struct tp_model *model = build->model;
    struct tp_vec times = TP_VEC(build->arena, struct tp_interval);
    for (uint32_t i = model->order->thread_first[thread]; i < model->order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (wants(model, e))
            tp_intervals_push(&times, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_from_vec(&times);
}

static int64_t last_end_of_thread(const struct tp_model *model, uint32_t thread)
{
    int64_t end = INT64_MIN;
    for (uint32_t i = model->order->thread_first[thread]; i < model->order->thread_first[thread + 1]; i++) {
        int64_t x = tp_event_end(&model->trace->events[model->order->host[i]]);
        end = x > end ? x : end;
    }
    return end;
}

/* Returns the gaps in the work of the reference thread. The last gap ends with the thread. */
static struct tp_intervals find_gaps(const struct tp_graph_build *build)
{
    struct tp_intervals work = times_of_thread(build, build->graph->reference, is_work_of_reference);
    struct tp_intervals gaps = {tp_arena_array(build->arena, work.count, sizeof *gaps.items), work.count};
    for (size_t i = 0; i < work.count; i++)
        gaps.items[i] = (struct tp_interval){
            work.items[i].b,
            i + 1 < work.count ? work.items[i + 1].a : last_end_of_thread(build->model, build->graph->reference)};
    return gaps;
}

/* Returns whether a thread works for other threads: it runs backward operators, is the end of a link, or launches. */
static bool is_worker(const struct tp_graph_build *build, const struct links *links, uint32_t thread)
{
    const struct tp_model *model = build->model;
    if (thread == build->graph->reference)
        return false;
    if (links->is_target[thread])
        return true;
    for (uint32_t i = model->launches.thread_first[thread]; i < model->launches.thread_first[thread + 1]; i++)
        if (model->launches.first_device_operation[i] != TP_NO_ID)
            return true;
    for (uint32_t i = model->order->thread_first[thread]; i < model->order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (e->kind == TP_KIND_OPERATOR && model->marks[e->name] & TP_MARK_AUTOGRAD)
            return true;
    }
    return false;
}

/* Finds the gaps in which a worker does at least half of the time what the reference thread waits for. */
static void find_handovers_of_worker(struct tp_graph_build *build, uint32_t worker, struct tp_intervals gaps)
{
    struct tp_intervals busy = times_of_thread(build, worker, is_work_of_worker);
    size_t at = 0;
    for (size_t i = 0; i < gaps.count; i++) {
        struct tp_interval gap = gaps.items[i];
        while (at < busy.count && busy.items[at].b <= gap.a)
            at++;
        if (gap.b - gap.a < TP_HANDOVER_NS || at == busy.count || busy.items[at].a >= gap.b)
            continue;
        size_t last = at;
        while (last + 1 < busy.count && busy.items[last + 1].a < gap.b)
            last++;
        int64_t a = busy.items[at].a > gap.a ? busy.items[at].a : gap.a;
        int64_t b = busy.items[last].b < gap.b ? busy.items[last].b : gap.b;
        at = last; /* this interval may reach into the next gap */
        if (b - a >= gap.b - gap.a - (b - a) && a > gap.a && b < gap.b)
            *(struct tp_handover *)tp_vec_push(&build->handovers) = (struct tp_handover){worker, a, b, a, b, gap.a};
    }
    tp_arena_free_item(build->arena, busy.items, busy.count * sizeof *busy.items);
}

static int compare_handovers(const void *x, const void *y, const void *context)
{
    const struct tp_handover *a = x, *b = y;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    return compare_threads(context, a->worker, b->worker);
}

/* Sorts the hand-overs, and sets the time that all workers of a gap have together. This time is a hole of the reference
 * thread. */
static void join_handovers_of_gaps(struct tp_graph_build *build)
{
    struct tp_handover *list = build->handovers.data;
    struct tp_vec holes = TP_VEC(build->arena, struct tp_interval);
    tp_merge_sort(build->arena, list, build->handovers.count, sizeof *list, compare_handovers, build);
    for (size_t i = 0, end; i < build->handovers.count; i = end) {
        int64_t hull_end = list[i].last_ns;
        for (end = i; end < build->handovers.count && list[end].gap_ns == list[i].gap_ns; end++)
            hull_end = list[end].last_ns > hull_end ? list[end].last_ns : hull_end;
        for (size_t k = i; k < end; k++) {
            list[k].hull_start_ns = list[i].first_ns;
            list[k].hull_end_ns = hull_end;
        }
        tp_intervals_push(&holes, list[i].first_ns, hull_end);
    }
    build->holes[build->graph->reference] = tp_intervals_from_vec(&holes);
}

static bool begins_handover(const struct tp_graph_build *build, uint32_t worker, int64_t at)
{
    size_t lo = 0, hi = build->handovers.count;
    const struct tp_handover *list = build->handovers.data;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (list[mid].first_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < build->handovers.count && list[lo].first_ns == at; lo++)
        if (list[lo].worker == worker)
            return true;
    return false;
}

/* A long silence of a thread is a hole, and so is the silence before work that was handed over to the thread. */
static void find_holes(struct tp_graph_build *build, uint32_t thread)
{
    struct tp_intervals mine = times_of_thread(build, thread, is_any);
    struct tp_vec holes = TP_VEC(build->arena, struct tp_interval);
    for (size_t i = 0; i + 1 < mine.count; i++) {
        int64_t a = mine.items[i].b, b = mine.items[i + 1].a;
        if (b - a >= TP_HOLE_NS || begins_handover(build, thread, b))
            tp_intervals_push(&holes, a, b);
    }
    build->holes[thread] = tp_intervals_from_vec(&holes);
    tp_arena_free_item(build->arena, mine.items, mine.count * sizeof *mine.items);
}

void tp_graph_find_handovers(struct tp_graph_build *build)
{
    struct links links = find_links(build);
    build->handovers = TP_VEC(build->arena, struct tp_handover);
    build->holes = tp_arena_array(build->arena, build->model->trace->thread_count, sizeof *build->holes);
    build->graph->reference = find_reference(build, &links);
    list_threads(build);
    if (build->graph->reference == TP_NO_ID)
        return;
    struct tp_intervals gaps = find_gaps(build);
    for (uint32_t i = 1; i < build->thread_count; i++)
        if (is_worker(build, &links, build->threads[i]))
            find_handovers_of_worker(build, build->threads[i], gaps);
    join_handovers_of_gaps(build);
    for (uint32_t i = 1; i < build->thread_count; i++)
        find_holes(build, build->threads[i]);
}
