/* Finds the main thread of the host (docs/definitions.md, section 3). This is the thread with the steps, otherwise the
 * thread that began the work. The number of launches is not a criterion, because the backward thread often launches
 * more than the thread of the training loop. */
#include "webreport/model/numbers.h"
#include "webreport/model/stages.h"
#include "writer/base/saturate.h"

/* Marks of names that occur only on the thread of a training loop or a serving engine. The first mark that occurs often
 * enough on a thread determines the main thread. */
static const struct {
    uint64_t mark;
    /* minimum number of events with this mark on a thread; a serving engine needs two, because a single range does not
     * show steps */
    uint32_t least;
} sources[] = {{TP_MARK_PROFILER_STEP, 1},
               {TP_MARK_EXECUTE_CONTEXT, 2},
               {TP_MARK_STEP_BRACKET, 2},
               {TP_MARK_OPTIMIZER_STEP, 1},
               {TP_MARK_LOADER, 1}};
enum { SOURCES = sizeof sources / sizeof *sources };

/* Work of one host thread: operators, annotations and runtime calls. */
struct host_thread {
    uint32_t count[SOURCES];
    int64_t first_ns[SOURCES];  /* for each entry of `sources`: start of the first event with its mark, ns */
    int64_t begin_ns, end_ns;   /* start of the first event and end of the last event, ns */
    bool has_work;              /* true if the thread has an operator, annotation or runtime call */
    bool works_outside_loading; /* true if the thread has an operator or call outside of ranges that load data */
};

static void count_event_of_thread(const struct tp_model *model, struct host_thread *thread, const struct tp_event *e,
                                  int64_t *loading_end)
{
    uint64_t marks = model->marks[e->name];
    if (tp_kind_is_frame(e->kind))
        return;
    for (unsigned s = 0; s < SOURCES && e->kind != TP_KIND_RUNTIME; s++)
        if (marks & sources[s].mark && !thread->count[s]++)
            thread->first_ns[s] = e->ts_ns;
    thread->begin_ns = thread->has_work ? tp_ns_min(thread->begin_ns, e->ts_ns) : e->ts_ns;
    thread->end_ns = thread->has_work ? tp_ns_max(thread->end_ns, tp_event_end(e)) : tp_event_end(e);
    thread->has_work = true;
    if (e->kind != TP_KIND_RUNTIME && marks & TP_MARK_LOADER)
        *loading_end = tp_ns_max(*loading_end, tp_event_end(e));
    else if (e->kind != TP_KIND_ANNOTATION && e->ts_ns >= *loading_end)
        thread->works_outside_loading = true;
}

static void count_events_of_threads(const struct tp_model *model, struct host_thread *threads)
{
    const struct tp_order *order = model->order;
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        int64_t loading_end = INT64_MIN;
        for (uint32_t i = order->thread_first[t]; i < order->thread_first[t + 1]; i++)
            count_event_of_thread(model, &threads[t], &model->trace->events[order->host[i]], &loading_end);
    }
}

/* Returns the thread with the most events that have the mark sources[source]. If several threads have equally many,
 * returns the thread with the earliest event, then the smallest thread. Returns TP_NO_ID if no thread has enough
 * events. Ignores threads that only load data for other threads. */
static uint32_t find_marked_thread(const struct tp_model *model, const struct host_thread *threads, unsigned source)
{
    const struct tp_trace *trace = model->trace;
    uint32_t best = TP_NO_ID;
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        const struct host_thread *x = &threads[t], *y = best == TP_NO_ID ? NULL : &threads[best];
        if (x->count[source] < sources[source].least ||
            (sources[source].mark == TP_MARK_LOADER && !x->works_outside_loading))
            continue;
        if (!y || x->count[source] > y->count[source] ||
            (x->count[source] == y->count[source] &&
             (x->first_ns[source] < y->first_ns[source] ||
              (x->first_ns[source] == y->first_ns[source] &&
               tp_thread_compare(&trace->threads[t], &trace->threads[best]) < 0))))
            best = t;
    }
    return best;
}

/* Returns true for the first thread of a process, whose tid equals the pid on Linux. */
static bool is_first_of_process(const struct tp_thread *thread)
{
    return !thread->pid.is_text && !thread->tid.is_text && thread->pid.number == thread->tid.number;
}

/* Returns true if thread `t` is a better choice than `best`. The first thread of a process is better than other
 * threads. Between equal threads, the thread that starts earlier is better. */
static bool is_better_main_thread(const struct tp_model *model, const struct host_thread *threads, uint32_t t,
                                  uint32_t best)
{
    const struct tp_thread *x = &model->trace->threads[t], *y = &model->trace->threads[best];
    if (is_first_of_process(x) != is_first_of_process(y))
        return is_first_of_process(x);
    if (threads[t].begin_ns != threads[best].begin_ns)
        return threads[t].begin_ns < threads[best].begin_ns;
    return tp_thread_compare(x, y) < 0;
}

/* Returns the best thread according to is_better_main_thread, among the threads that work at least half as long as the
 * thread that works longest. If no thread has work, uses the threads with Python frames. */
static uint32_t find_unmarked_thread(const struct tp_model *model, const struct host_thread *threads)
{
    const uint32_t *first = model->order->thread_first;
    bool is_recorded = tp_trace_header(model->trace, "tracepress_recorder").ptr;
    int64_t longest = -1;
    uint32_t best = TP_NO_ID;
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        if (threads[t].has_work)
            longest = tp_ns_max(longest, tp_sat_sub(threads[t].end_ns, threads[t].begin_ns));
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        bool is_long = longest < 0 || (threads[t].has_work &&
                                       tp_sat_sub(threads[t].end_ns, threads[t].begin_ns) >= longest - longest / 2);
        bool is_known = is_recorded && is_first_of_process(&model->trace->threads[t]);
        if (first[t] == first[t + 1] || (!is_long && !is_known))
            continue;
        if (best == TP_NO_ID || is_better_main_thread(model, threads, t, best))
            best = t;
    }
    return best;
}

void tp_model_find_main_thread(struct tp_model *model)
{
    uint32_t count = model->trace->thread_count;
    struct host_thread *threads = tp_arena_array(model->arena, count, sizeof *threads);
    count_events_of_threads(model, threads);
    model->host_main = TP_NO_ID;
    for (unsigned s = 0; s < SOURCES && model->host_main == TP_NO_ID; s++)
        model->host_main = find_marked_thread(model, threads, s);
    if (model->host_main == TP_NO_ID)
        model->host_main = find_unmarked_thread(model, threads);
    tp_arena_free_item(model->arena, threads, count * sizeof *threads);
}
