/* Writes the plane of the host: threads as lines, Python frames on separate lines, and steps in the form that XProf
 * expects.
 *
 * XProf treats an event `train` with the stats _r and step_num as a step. An event belongs to the step if it nests in
 * the step, or if it has the correlation_id of an event in the step. Events can also be linked by producer stats (_pt,
 * _p) and equal consumer stats (_ct, _c). The step event is a producer, and each other thread gets an added consumer
 * event around its part of the step. A device step of XProf extends from the first to the last event on the device. A 1
 * ns event on a line of each device is linked to the start of the step, so that the device step includes the wait for
 * input. */
#include <stdio.h>

#include "webreport/export/xplane/xplane_parts.h"
#include "writer/base/limits.h"

enum { HOST_PLANE = 1, STEP_LINE = 1, STEP_PRODUCER = 9, SHAPE_MOST = 200 };

enum extra_kind { EXTRA_STEP, EXTRA_MARK, EXTRA_PART };

/* An event that this export adds to the events of the trace. */
struct extra {
    int64_t start, end;
    uint32_t step;
    enum extra_kind kind;
};

/* An event that is still open at the current time. The events of a thread are written in order of time. */
struct open_event {
    int64_t end;
    uint32_t scope; /* scope of the innermost operator, or TP_NO_ID */
};

struct host {
    struct tp_xexport *x;
    struct tp_xplane *plane;
    /* for each name id of the trace: 1 + id in the plane, for the name of an event (names) or of a Python frame
     * (frames) */
    uint32_t *names, *frames;
    uint32_t *values;     /* for each value id of the trace: 1 + id of its text in the plane */
    uint32_t *launch_gpu; /* for each launch: 1 + index of the device that ran the launched work */
    bool has_step_line;
    uint32_t next_launch; /* index of the current thread's next launch */
    struct tp_vec open,
        /* events of the current thread; elements of open: struct open_event; of extras (added events): struct extra */
        extras;
    uint32_t correlation, device, shape, step_num, root, producer_type, producer, consumer_type, consumer;
};

/* ---- steps ---- */

static bool is_frame(const struct tp_event *e)
{
    return e->kind == TP_KIND_FRAME || e->kind == TP_KIND_MODULE;
}

static void add_extra_event(struct host *h, enum extra_kind kind, uint32_t step, int64_t start, int64_t end)
{
    *(struct extra *)tp_vec_push(&h->extras) = (struct extra){start, end, step, kind};
}

static void add_steps(struct host *h)
{
    const struct tp_model *model = h->x->model;
    for (uint32_t i = 0; i < model->step_count; i++) {
        const struct tp_step *step = &model->steps[i];
        if (!tp_xexport_contains(h->x, step->host_start_ns))
            continue;
        add_extra_event(h, EXTRA_STEP, i, step->host_start_ns, step->host_end_ns);
        if (model->gpu_count)
            add_extra_event(h, EXTRA_MARK, i, step->host_start_ns + 1, step->host_start_ns + 2);
    }
}

/* For a thread without steps, adds one event for each step. The event extends from the thread's first event to its last
 * event in the step and in the gap after the step. */
static void add_parts(struct host *h, const uint32_t *events, uint32_t count)
{
    const struct tp_model *model = h->x->model;
    uint32_t step = 0;
    struct extra *part = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &h->x->trace->events[events[i]];
        while (step < model->step_count && model->steps[step].host_end_ns <= e->ts_ns)
            step++;
        if (step == model->step_count)
            break;
        int64_t next = step + 1 < model->step_count ? model->steps[step + 1].host_start_ns : INT64_MAX;
        if (e->ts_ns < model->steps[step].host_start_ns || tp_event_end(e) > next || is_frame(e) ||
            !tp_xexport_contains(h->x, e->ts_ns))
            continue;
        if (!part || part->step != step) {
            add_extra_event(h, EXTRA_PART, step, e->ts_ns, e->ts_ns);
            part = TP_AT(&h->extras, struct extra, h->extras.count - 1);
        }
        part->end = tp_event_end(e) > part->end ? tp_event_end(e) : part->end;
    }
}

static int64_t step_number(const struct tp_model *model, uint32_t step)
{
    struct tp_str name = model->steps[step].name;
    int64_t number = 0;
    if (model->step_marker != TP_MARKER_PROFILER_STEP || name.len > 9 || name.len == 0)
        return step;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return step;
        number = number * 10 + (name.ptr[i] - '0');
    }
    return number;
}

/* ---- output of a thread's events ---- */

/* Closes the events that ended before `start`. Returns `end`, or the end of the enclosing event if that is earlier, so
 * that the new event nests. *scope: scope of the innermost operator. */
static int64_t close_ended_and_find_nested_end(struct host *h, int64_t start, int64_t end, uint32_t *scope)
{
    *scope = TP_NO_ID;
    while (h->open.count) {
        const struct open_event *top = TP_AT(&h->open, struct open_event, h->open.count - 1);
        if (top->end > start) {
            *scope = top->scope;
            return end < top->end ? end : top->end;
        }
        h->open.count--;
    }
    return end;
}

static void write_event(struct host *h, int64_t start, int64_t end, uint32_t name, const struct tp_xstat *stats,
                        unsigned count)
{
    tp_xplane_add_event(h->plane, &(struct tp_xevent){.start_ns = start - h->x->first_ns,
                                                      .dur_ns = end - start,
                                                      .name = name,
                                                      .stat_count = count,
                                                      .stats = stats});
}

static void write_extra_event(struct host *h, const struct extra *extra)
{
    const struct tp_model *model = h->x->model;
    struct tp_str name = model->steps[extra->step].name;
    char display[96];
    uint32_t scope;
    int64_t end = close_ended_and_find_nested_end(h, extra->start, extra->end, &scope);
    int size = snprintf(display, sizeof display, "%s%.*s",
                        model->step_marker == TP_MARKER_PROFILER_STEP ? "ProfilerStep#" : "step ",
                        (int)(name.len < 64 ? name.len : 64), name.ptr);
    struct tp_str shown = {display, (size_t)size};
    if (extra->kind == EXTRA_STEP) {
        const struct tp_xstat stats[] = {
            tp_xstat_int(h->root, 1), tp_xstat_int(h->step_num, step_number(model, extra->step)),
            tp_xstat_int(h->producer_type, STEP_PRODUCER), tp_xstat_uint(h->producer, extra->step)};
        write_event(h, extra->start, end, tp_xplane_add_name(h->plane, TP_STR("train"), shown), stats, 4);
    } else if (extra->kind == EXTRA_PART) {
        const struct tp_xstat stats[] = {tp_xstat_int(h->consumer_type, STEP_PRODUCER),
                                         tp_xstat_uint(h->consumer, extra->step)};
        write_event(h, extra->start, end, tp_xplane_add_name(h->plane, TP_STR("tracepress::step_part"), shown), stats,
                    2);
    } else {
        const struct tp_xstat stats[] = {tp_xstat_int(h->correlation, (1ll << TP_XSTEP_CORRELATION) + extra->step)};
        write_event(h, extra->start, end, tp_xplane_add_name(h->plane, TP_STR("tracepress::step_begin"), TP_STR("")),
                    stats, 1);
    }
    if (extra->kind != EXTRA_MARK)
        *(struct open_event *)tp_vec_push(&h->open) = (struct open_event){end, scope};
}

/* Returns the plane's id for an event name of the trace. as_frame: changes the name to the form of XProf's own Python
 * tracer, "$file(line): function". */
static uint32_t name_text_id(struct host *h, uint32_t name, bool as_frame)
{
    uint32_t *id = as_frame ? &h->frames[name] : &h->names[name];
    struct tp_str text = tp_strings_get(&h->x->trace->names, name);
    if (*id)
        return *id - 1;
    if (!as_frame) {
        *id = tp_xplane_add_name(h->plane, text, TP_STR("")) + 1;
    } else {
        char *marked = tp_arena_alloc(h->x->arena, text.len + 1);
        *marked = '$';
        memcpy(marked + 1, text.ptr, text.len);
        *id = tp_xplane_add_name(h->plane, (struct tp_str){marked, text.len + 1}, text) + 1;
    }
    return *id - 1;
}

static enum tp_xroot scope_root(const struct host *h, const struct tp_event *e)
{
    struct tp_str name = tp_trace_event_name(h->x->trace, e);
    uint64_t flags = h->x->model->marks[e->name];
    if (tp_event_range_kind(h->x->model, e) == TP_RANGE_INPUT)
        return TP_XROOT_INPUT;
    if (flags & TP_MARK_OPTIMIZER)
        return TP_XROOT_OPTIMIZER;
    if ((flags & TP_MARK_BACKWARD_NODE) || tp_str_find(name, "Backward") >= 0 ||
        tp_str_find(name, "AccumulateGrad") >= 0)
        return TP_XROOT_BACKWARD;
    return e->thread == h->x->main_thread ? TP_XROOT_MAIN : TP_XROOT_THREAD;
}

/* Returns the plane's id for an operator's name. A wait for a data loader is named IteratorGetNext, because XProf
 * recognizes a wait for input by this name. */
static uint32_t operator_name(struct host *h, const struct tp_event *e, uint32_t scope)
{
    struct tp_xscope *s = tp_xscopes_get(&h->x->scopes, scope);
    if (s->plane == HOST_PLANE)
        return s->id;
    s->plane = HOST_PLANE;
    if (tp_event_range_kind(h->x->model, e) == TP_RANGE_INPUT)
        s->id = tp_xplane_add_name(h->plane, TP_STR("IteratorGetNext"), tp_trace_event_name(h->x->trace, e));
    else
        s->id = tp_xplane_add_name(h->plane, s->text, tp_trace_event_name(h->x->trace, e));
    return s->id;
}

/* Returns the plane's id for the text of "Input Dims". A long text is cut. */
static uint32_t shape_text(struct host *h, uint32_t value)
{
    struct tp_str text = tp_strings_get(&h->x->trace->values, value);
    text.len = text.len < SHAPE_MOST ? text.len : SHAPE_MOST;
    if (!h->values[value])
        h->values[value] = tp_xplane_add_text(h->plane, text) + 1;
    return h->values[value] - 1;
}

static void write_operator(struct host *h, uint32_t event, int64_t end, uint32_t above)
{
    const struct tp_event *e = &h->x->trace->events[event];
    uint32_t scope = tp_xscopes_add(&h->x->scopes, above, above == TP_NO_ID ? scope_root(h, e) : TP_XROOT_MAIN, e->name,
                                    tp_trace_event_name(h->x->trace, e));
    uint32_t dims = e->detail == TP_NO_ID ? TP_NO_ID : h->x->trace->hosts[e->detail].dims;
    struct tp_xstat shape = {0};
    if (dims != TP_NO_ID)
        shape = tp_xstat_text(h->shape, shape_text(h, dims));
    write_event(h, e->ts_ns, end, operator_name(h, e, scope), &shape, dims != TP_NO_ID);
    h->x->scope[event] = scope;
    if (!(e->flags & TP_EVENT_UNFINISHED))
        *(struct open_event *)tp_vec_push(&h->open) = (struct open_event){end, scope};
}

/* Writes a runtime call. The stat correlation_id links the call to the device work that it started. */
static void write_launch(struct host *h, uint32_t event, int64_t end)
{
    const struct tp_model *model = h->x->model;
    const struct tp_event *e = &h->x->trace->events[event];
    int64_t correlation = e->detail == TP_NO_ID ? TP_NULL_INT : h->x->trace->launches[e->detail].correlation;
    struct tp_xstat stats[2];
    unsigned count = 0;
    uint32_t gpu = 0;
    if (h->next_launch < model->launches.thread_first[e->thread + 1] && model->launches.event[h->next_launch] == event)
        gpu = h->launch_gpu[h->next_launch++];
    if (correlation != TP_NULL_INT)
        stats[count++] = tp_xstat_int(h->correlation, correlation);
    if (gpu)
        stats[count++] = tp_xstat_int(h->device, model->gpus[gpu - 1].id);
    write_event(h, e->ts_ns, end, name_text_id(h, e->name, false), stats, count);
}

/* Returns whether the event is a marker that became a step. Such a marker is already written as a step. */
static bool is_marker_of_step(const struct host *h, const struct tp_event *e)
{
    return h->x->model->step_marker == TP_MARKER_PROFILER_STEP &&
           (h->x->model->marks[e->name] & TP_MARK_PROFILER_STEP) && e->thread == h->x->main_thread;
}

static bool is_at_step_start(const struct host *h, const struct tp_event *e)
{
    const struct tp_model *model = h->x->model;
    uint32_t low = 0, high = model->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->steps[middle].host_start_ns < e->ts_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->step_count && model->steps[low].host_start_ns == e->ts_ns;
}

static void write_call(struct host *h, uint32_t event)
{
    const struct tp_event *e = &h->x->trace->events[event];
    bool is_call = e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION;
    uint32_t above;
    if (is_marker_of_step(h, e) && is_at_step_start(h, e))
        return;
    int64_t end = close_ended_and_find_nested_end(h, e->ts_ns, tp_event_end(e), &above);
    if (e->kind == TP_KIND_RUNTIME) {
        write_launch(h, event, end);
        *(struct open_event *)tp_vec_push(&h->open) = (struct open_event){end, above};
    } else if (is_call && !(h->x->model->marks[e->name] & TP_MARK_STEP)) {
        write_operator(h, event, end, above);
    } else {
        write_event(h, e->ts_ns, end, name_text_id(h, e->name, false), NULL, 0);
        *(struct open_event *)tp_vec_push(&h->open) = (struct open_event){end, above};
    }
}

static struct tp_str line_name(struct host *h, const struct tp_thread *thread)
{
    char text[64];
    int n;
    if (thread->name.len)
        return thread->name;
    if (thread->tid.is_text)
        return thread->tid.text;
    n = snprintf(text, sizeof text, "thread %lld", (long long)thread->tid.number);
    return (struct tp_str){tp_arena_copy(h->x->arena, text, (size_t)n), (size_t)n};
}

static struct tp_str frames_name(struct host *h, struct tp_str thread)
{
    char *text = tp_arena_alloc(h->x->arena, thread.len + sizeof ": Python");
    memcpy(text, thread.ptr, thread.len);
    memcpy(text + thread.len, ": Python", sizeof ": Python");
    return (struct tp_str){text, thread.len + sizeof ": Python" - 1};
}

/* Writes the added events that come before an event from `start` to `end`, beginning with h->extras[next]. Events are
 * ordered by start, outer events first. Returns the index of the next added event. */
static size_t write_extra_events_between(struct host *h, size_t next, int64_t start, int64_t end)
{
    for (; next < h->extras.count; next++) {
        const struct extra *extra = TP_AT(&h->extras, struct extra, next);
        if (extra->start > start || (extra->start == start && extra->end < end))
            break;
        write_extra_event(h, extra);
    }
    return next;
}

/* Writes the thread's operators and runtime calls together with the added events, in order of time. */
static void write_calls(struct host *h, const uint32_t *events, uint32_t count)
{
    size_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &h->x->trace->events[events[i]];
        if (is_frame(e) || !tp_xexport_contains(h->x, e->ts_ns))
            continue;
        next = write_extra_events_between(h, next, e->ts_ns, tp_event_end(e));
        write_call(h, events[i]);
    }
    write_extra_events_between(h, next, INT64_MAX, 0);
}

/* Writes the Python frames on a separate line. ProfilerStep begins in one call of step() and ends in the next call, so
 * frames and steps do not nest. */
static void write_python_frames(struct host *h, const uint32_t *events, uint32_t count)
{
    uint32_t above;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &h->x->trace->events[events[i]];
        if (!is_frame(e) || !tp_xexport_contains(h->x, e->ts_ns))
            continue;
        int64_t end = close_ended_and_find_nested_end(h, e->ts_ns, tp_event_end(e), &above);
        write_event(h, e->ts_ns, end, name_text_id(h, e->name, true), NULL, 0);
        *(struct open_event *)tp_vec_push(&h->open) = (struct open_event){end, TP_NO_ID};
    }
}

static void write_thread_line(struct host *h, uint32_t thread, uint32_t line)
{
    const struct tp_order *order = h->x->order;
    const uint32_t *events = order->host + order->thread_first[thread];
    uint32_t count = order->thread_first[thread + 1] - order->thread_first[thread], frames = 0;
    struct tp_str name = line_name(h, &h->x->trace->threads[thread]);
    for (uint32_t i = 0; i < count; i++)
        frames += is_frame(&h->x->trace->events[events[i]]);
    h->extras.count = h->open.count = 0;
    h->next_launch = h->x->model->launches.thread_first[thread];
    if (thread == h->x->main_thread && !h->has_step_line)
        add_steps(h);
    else
        add_parts(h, events, count);
    if (frames < count || h->extras.count) {
        tp_xplane_begin_line(h->plane, 2 * (int64_t)line, name);
        write_calls(h, events, count);
    }
    h->open.count = 0;
    if (frames) {
        tp_xplane_begin_line(h->plane, 2 * (int64_t)line + 1, frames_name(h, name));
        write_python_frames(h, events, count);
    }
}

/* Writes the steps on a separate line, because they are not events of the trace and may overlap other events. */
static void write_step_line(struct host *h)
{
    h->extras.count = h->open.count = 0;
    add_steps(h);
    tp_xplane_begin_line(h->plane, STEP_LINE, TP_STR("steps"));
    write_calls(h, NULL, 0);
}

/* ---- the plane ---- */

static void find_launch_gpus(struct host *h)
{
    const struct tp_model *model = h->x->model;
    h->launch_gpu = tp_arena_array(h->x->arena, model->launches.count, sizeof *h->launch_gpu);
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (model->devices.launch[k] != TP_NO_ID)
            h->launch_gpu[model->devices.launch[k]] = model->devices.gpu[k] + 1;
}

static void init_host_plane(struct host *h, struct tp_xexport *x)
{
    struct tp_xplane *p = tp_xspace_add_plane(x->space, HOST_PLANE, TP_STR("/host:CPU"));
    *h = (struct host){.x = x,
                       .plane = p,
                       .names = tp_arena_array(x->arena, x->trace->names.count, sizeof *h->names),
                       .frames = tp_arena_array(x->arena, x->trace->names.count, sizeof *h->frames),
                       .values = tp_arena_array(x->arena, x->trace->values.count, sizeof *h->values),
                       .open = TP_VEC(x->arena, struct open_event),
                       .extras = TP_VEC(x->arena, struct extra),
                       .has_step_line = x->main_thread == TP_NO_ID || x->model->step_marker != TP_MARKER_PROFILER_STEP,
                       .correlation = tp_xplane_add_text(p, TP_STR("correlation_id")),
                       .device = tp_xplane_add_text(p, TP_STR("device_id")),
                       .shape = tp_xplane_add_text(p, TP_STR("shape")),
                       .step_num = tp_xplane_add_text(p, TP_STR("step_num")),
                       .root = tp_xplane_add_text(p, TP_STR("_r")),
                       .producer_type = tp_xplane_add_text(p, TP_STR("_pt")),
                       .producer = tp_xplane_add_text(p, TP_STR("_p")),
                       .consumer_type = tp_xplane_add_text(p, TP_STR("_ct")),
                       .consumer = tp_xplane_add_text(p, TP_STR("_c"))};
    find_launch_gpus(h);
}

void tp_xexport_host(struct tp_xexport *x)
{
    struct host h;
    uint32_t line = 1;
    init_host_plane(&h, x);
    x->scope = tp_arena_array(x->arena, x->trace->event_count, sizeof *x->scope);
    memset(x->scope, 0xFF, x->trace->event_count * sizeof *x->scope);
    if (h.has_step_line)
        write_step_line(&h);
    if (x->main_thread != TP_NO_ID)
        write_thread_line(&h, x->main_thread, line++);
    for (uint32_t t = 0; t < x->trace->thread_count; t++)
        if (t != x->main_thread && x->order->thread_first[t] < x->order->thread_first[t + 1])
            write_thread_line(&h, t, line++);
    tp_xexport_memory(x, h.plane);
}
