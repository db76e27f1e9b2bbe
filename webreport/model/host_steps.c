/* Steps from marks on the host, by priority of the source: see host_steps.h and advice-definitions D2.3. */
#include "webreport/model/host_steps.h"

#include "writer/base/sort.h"

enum source { SOURCE_PROFILER_STEP, SOURCE_EXECUTE_CONTEXT, SOURCE_BRACKET, SOURCE_OPTIMIZER, SOURCE_COUNT };

static const struct {
    uint64_t mark;
    const char *label;
} sources[SOURCE_COUNT] = {
    {TP_NAME_STEP, "ProfilerStep"},
    {TP_NAME_EXECUTE_CONTEXT, "execute_context"},
    {TP_NAME_STEP_BRACKET, "step["},
    {TP_NAME_OPTIMIZER_STEP, "optimizer"},
};

static bool is_mark(const struct tp_host *host, const struct tp_event *e, enum source source)
{
    if (!(host->marks[e->name] & sources[source].mark))
        return false;
    if (source == SOURCE_OPTIMIZER)
        return tp_old_role(e) == TP_KIND_ANNOTATION;
    return (tp_old_role(e) == TP_KIND_ANNOTATION || tp_old_role(e) == TP_KIND_OPERATOR) && e->dur_ns > 0;
}

/* Marks of every source, in one pass, thread by thread. */
static void collect_marks(struct tp_host *host, struct tp_vec marks[SOURCE_COUNT])
{
    for (int s = 0; s < SOURCE_COUNT; s++)
        marks[s] = TP_VEC(host->arena, uint32_t);
    for (uint32_t i = 0; i < host->marked_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->marked[i]);
        for (int s = 0; s < SOURCE_COUNT; s++)
            if (is_mark(host, e, (enum source)s))
                *(uint32_t *)tp_vec_push(&marks[s]) = host->marked[i];
    }
}

/* Thread with most of the marks (which stand thread by thread): its part of the list. Ties: the earliest mark, or for
 * optimizer steps the smallest thread. */
static void choose_thread(const struct tp_host *host, const struct tp_vec *marks, bool is_optimizer, size_t *first,
                          size_t *count)
{
    const uint32_t *ids = marks->data;
    *first = *count = 0;
    for (size_t i = 0, end; i < marks->count; i = end) {
        const struct tp_event *e = tp_host_event(host, ids[i]), *best = tp_host_event(host, ids[*first]);
        for (end = i + 1; end < marks->count && tp_host_event(host, ids[end])->thread == e->thread;)
            end++;
        bool is_better = end - i > *count;
        if (end - i == *count && is_optimizer)
            is_better = tp_host_thread_compare(host->trace, e->thread, best->thread) < 0;
        else if (end - i == *count)
            is_better = e->ts_ns != best->ts_ns ? e->ts_ns < best->ts_ns : e->ordinal < best->ordinal;
        if (is_better) {
            *first = i;
            *count = end - i;
        }
    }
}

static struct tp_host_step *add_step(struct tp_vec *steps, int64_t start, int64_t end, uint32_t event)
{
    struct tp_host_step *step = tp_vec_push(steps);
    *step = (struct tp_host_step){.start = start, .end = end, .window_start = start, .window_end = end, .event = event};
    return step;
}

static void steps_of_marks(struct tp_host *host, const uint32_t *ids, size_t count, struct tp_vec *steps)
{
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct tp_event *e = tp_host_event(host, ids[i]);
        if (e->ts_ns < last)
            continue;
        last = tp_event_end(e);
        struct tp_host_step *step = add_step(steps, e->ts_ns, last, ids[i]);
        step->name = tp_trace_name(host->trace, e);
        step->is_partial = (e->flags & TP_EVENT_UNFINISHED) != 0;
    }
}

static struct tp_str named_after(struct tp_host *host, struct tp_str name)
{
    char *text = tp_arena_array(host->arena, name.len + 7, 1);
    memcpy(text, "after ", 6);
    memcpy(text + 6, name.ptr, name.len);
    return (struct tp_str){text, name.len + 6};
}

/* Step i goes from the end of one optimizer step to the end of the next. */
static void steps_between(struct tp_host *host, const uint32_t *ids, size_t count, struct tp_vec *steps)
{
    for (size_t i = 1; i < count; i++) {
        const struct tp_event *before = tp_host_event(host, ids[i - 1]), *e = tp_host_event(host, ids[i]);
        if (tp_event_end(e) > tp_event_end(before))
            add_step(steps, tp_event_end(before), tp_event_end(e), ids[i])->name =
                named_after(host, tp_trace_name(host->trace, before));
    }
}

static void find_steps(struct tp_host *host, struct tp_vec *steps)
{
    struct tp_vec marks[SOURCE_COUNT];
    collect_marks(host, marks);
    for (int s = 0; s < SOURCE_COUNT; s++) {
        size_t first, count;
        choose_thread(host, &marks[s], s == SOURCE_OPTIMIZER, &first, &count);
        if (!count || (s == SOURCE_OPTIMIZER && count < 2))
            continue;
        const uint32_t *ids = (const uint32_t *)marks[s].data + first;
        steps->count = 0;
        if (s == SOURCE_OPTIMIZER)
            steps_between(host, ids, count, steps);
        else
            steps_of_marks(host, ids, count, steps);
        if (s == SOURCE_PROFILER_STEP || (s == SOURCE_OPTIMIZER && steps->count) ||
            (s != SOURCE_OPTIMIZER && steps->count >= 2)) { /* one marked call shows nothing about a step */
            host->step_source = sources[s].label;
            return;
        }
        steps->count = 0;
    }
}

/* Leaves out steps that had not finished when the recording ended, unless all are such. */
static void drop_partial(struct tp_host *host, struct tp_vec *steps)
{
    struct tp_host_step *all = steps->data;
    size_t kept = 0;
    host->steps_found = (uint32_t)steps->count;
    for (size_t i = 0; i < steps->count; i++)
        kept += !all[i].is_partial;
    if (kept == 0)
        return;
    kept = 0;
    for (size_t i = 0; i < steps->count; i++)
        if (!all[i].is_partial)
            all[kept++] = all[i];
    steps->count = kept;
    host->steps_partial = host->steps_found - (uint32_t)kept;
}

/* Position of the step that holds a host time, TP_NO_ID when none does. A bisection as written in the definitions:
 * starts of optimizer steps may be out of order. */
static uint32_t slot_of(const struct tp_host *host, int64_t at)
{
    uint32_t lo = 0, hi = host->step_slot_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (at < host->step_starts[mid])
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo && at < host->step_ends[lo - 1] ? lo - 1 : TP_NO_ID;
}

static uint32_t slot_of_op(const struct tp_host *host, uint32_t op)
{
    const struct tp_host_call *call = tp_op_call(host, op);
    return call ? slot_of(host, call->ts_ns) : TP_NO_ID;
}

/* Marks the steps that launched something; the window of the last one ends when its device work ends. */
static void assign_ops(struct tp_host *host, struct tp_vec *steps)
{
    struct tp_host_step *all = steps->data;
    uint32_t count = host->step_slot_count = (uint32_t)steps->count;
    host->step_slots = tp_arena_array(host->arena, count, sizeof *host->step_slots);
    host->step_starts = tp_arena_array(host->arena, count, sizeof *host->step_starts);
    host->step_ends = tp_arena_array(host->arena, count, sizeof *host->step_ends);
    for (uint32_t i = 0; i < count; i++) {
        host->step_starts[i] = all[i].start;
        host->step_ends[i] = all[i].end;
        host->step_slots[i] = i;
    }
    for (uint32_t i = 0; i < host->op_count; i++) {
        uint32_t slot = host->ops[i].step = slot_of_op(host, i);
        if (slot == TP_NO_ID)
            continue;
        all[slot].has_ops = true;
        if (slot + 1 == count)
            all[slot].window_end = tp_ns_max(all[slot].window_end, tp_event_end(tp_op_event(host, i)));
    }
}

static int by_value(const void *x, const void *y, const void *context)
{
    (void)context;
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* With three steps or more: is the first longer than 1.5 times the median? */
static bool is_first_slow(struct tp_host *host, const struct tp_host_step *steps, size_t count)
{
    if (count < 3)
        return false;
    int64_t *durations = tp_arena_array(host->arena, count, sizeof *durations);
    for (size_t i = 0; i < count; i++)
        durations[i] = tp_ns_minus(steps[i].end, steps[i].start);
    __int128 first = durations[0];
    tp_merge_sort(host->arena, durations, count, sizeof *durations, by_value, NULL);
    __int128 twice_median = (__int128)durations[(count - 1) / 2] + durations[count / 2];
    return 4 * first > 3 * twice_median;
}

/* First start and last end of the operations; false when there are none. */
static bool device_span(const struct tp_host *host, int64_t *a, int64_t *b)
{
    for (uint32_t d = 0; d < host->device_count; d++) {
        const struct tp_host_device *device = &host->devices[d];
        *a = d ? tp_ns_min(*a, device->first) : device->first;
        *b = d ? tp_ns_max(*b, device->last) : device->last;
    }
    return host->device_count > 0;
}

static void add_whole_trace(struct tp_host *host, struct tp_vec *steps)
{
    int64_t a = host->start, b = host->end;
    if (!device_span(host, &a, &b) && host->main_thread != TP_NO_ID) {
        uint32_t first = host->thread_first[host->main_thread], last = host->thread_first[host->main_thread + 1];
        a = tp_host_event(host, host->list[first])->ts_ns;
        b = INT64_MIN;
        for (uint32_t i = first; i < last; i++)
            b = tp_ns_max(b, tp_event_end(tp_host_event(host, host->list[i])));
    }
    if (b > a) {
        struct tp_host_step *step = add_step(steps, a, b, TP_NO_ID);
        step->name = TP_STR("whole trace");
        step->has_ops = host->op_count > 0;
    }
}

/* Clips windows to the recorded device work: outside it nobody knows whether the device was busy. */
static void clip_windows(struct tp_host *host, struct tp_vec *steps, size_t first)
{
    struct tp_host_step *all = steps->data;
    int64_t a, b;
    size_t kept = 0;
    bool is_clipped = device_span(host, &a, &b);
    for (size_t i = 0; i < first && i < host->step_slot_count; i++)
        host->step_slots[i] = TP_NO_ID;
    for (size_t i = first; i < steps->count; i++) {
        struct tp_host_step step = all[i];
        if (is_clipped) {
            step.window_start = tp_ns_max(step.window_start, a);
            step.window_end = tp_ns_min(step.window_end, b);
        }
        bool is_kept = !is_clipped || step.window_end > step.window_start;
        if (i < host->step_slot_count)
            host->step_slots[i] = is_kept ? (uint32_t)kept : TP_NO_ID;
        if (is_kept)
            all[kept++] = step;
    }
    host->steps = all;
    host->step_count = (uint32_t)kept;
    for (uint32_t i = 0; i < host->op_count; i++) {
        uint32_t *step = &host->ops[i].step;
        *step = host->is_whole ? (kept ? 0 : TP_NO_ID) : *step == TP_NO_ID ? TP_NO_ID : host->step_slots[*step];
    }
}

void tp_host_steps_build(struct tp_host *host)
{
    struct tp_vec steps = TP_VEC(host->arena, struct tp_host_step);
    find_steps(host, &steps);
    drop_partial(host, &steps);
    assign_ops(host, &steps);
    host->is_whole = steps.count == 0;
    host->first_dropped = is_first_slow(host, steps.data, steps.count);
    if (host->is_whole)
        add_whole_trace(host, &steps);
    clip_windows(host, &steps, host->first_dropped ? 1 : 0);
    struct tp_vec windows = TP_VEC(host->arena, struct tp_interval);
    for (uint32_t i = 0; i < host->step_count; i++)
        tp_intervals_push(&windows, host->steps[i].window_start, host->steps[i].window_end);
    host->windows = tp_intervals_of(&windows);
    host->windows_ns = tp_intervals_length(host->windows);
}
