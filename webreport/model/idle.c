/* Computes the idle time of devices and the waits of the host. Splits each gap in the work of a device at the call of
 * the operation that ends the gap (docs/definitions.md, section 6). Computes an upper bound of the cost of calls that
 * wait for a device (docs/definitions.md, section 9). */
#include "webreport/model/numbers.h"
#include "webreport/model/stages.h"
#include "writer/base/sort.h"

/* State while the idle slices of one device are collected. The slices must be passed in order of time. Each is cut to
 * the window of analysed steps. */
struct gaps {
    const struct tp_model *model;
    struct tp_vec out; /* the slices found so far; elements: struct tp_idle_slice */
    size_t at;         /* index of the first interval of the window of analysed steps that can overlap later slices */
    struct tp_intervals waiting; /* intervals in which a thread waits for this device */
    size_t next_wait;            /* index of the first interval of `waiting` that can overlap later slices */
};

static void add_slice(struct gaps *gaps, int64_t a, int64_t b, enum tp_idle_part part, uint32_t next)
{
    const struct tp_intervals *window = &gaps->model->window;
    while (gaps->at < window->count && window->items[gaps->at].b <= a)
        gaps->at++;
    for (size_t i = gaps->at; i < window->count && window->items[i].a < b; i++) {
        int64_t from = tp_ns_max(a, window->items[i].a), to = tp_ns_min(b, window->items[i].b);
        if (from < to)
            *(struct tp_idle_slice *)tp_vec_push(&gaps->out) = (struct tp_idle_slice){from, to, next, (uint8_t)part};
    }
}

/* Adds a slice in which the device waits for the host. If the host waits for the device during a long part of the
 * slice, this part gets the reason unknown, because the device then works on something that is not in the trace. */
static void add_starved_slice(struct gaps *gaps, int64_t a, int64_t b, enum tp_idle_part part, uint32_t next)
{
    const struct tp_intervals *waiting = &gaps->waiting;
    while (gaps->next_wait < waiting->count && waiting->items[gaps->next_wait].b <= a)
        gaps->next_wait++;
    for (size_t i = gaps->next_wait; i < waiting->count && waiting->items[i].a < b; i++) {
        int64_t from = tp_ns_max(a, waiting->items[i].a), to = tp_ns_min(b, waiting->items[i].b);
        if (tp_sat_sub(to, from) < TP_PROMPT_NS)
            continue;
        add_slice(gaps, a, from, part, next);
        add_slice(gaps, from, to, TP_IDLE_UNKNOWN, next);
        a = to;
    }
    add_slice(gaps, a, b, part, next);
}

/* Splits a gap [a, b) at whose end operation `next` starts. The three parts are before, during and after the call of
 * `next`. before: reason for the first part. */
static void split_gap_by_launch(struct gaps *gaps, int64_t a, int64_t b, uint32_t next, enum tp_idle_part before)
{
    const struct tp_event *launch = tp_launch_of_device(gaps->model, next);
    int64_t called = tp_ns_min(tp_ns_max(a, launch->ts_ns), b);
    int64_t returned = tp_ns_min(tp_ns_max(called, tp_event_end(launch)), b);
    if (before == TP_IDLE_HOST)
        add_starved_slice(gaps, a, called, before, next);
    else
        add_slice(gaps, a, called, before, next);
    add_starved_slice(gaps, called, returned, TP_IDLE_LAUNCH, next);
    add_slice(gaps, returned, b, TP_IDLE_QUEUE, next);
}

/* Splits the time before the first recorded operation. If this operation started promptly after its call, the device
 * was free, and the time before the operation is split like other gaps. Otherwise the time before the call is outside
 * the recorded work. */
static void split_gap_before_first(struct gaps *gaps, int64_t a, int64_t b, uint32_t first)
{
    const struct tp_event *launch = tp_launch_of_device(gaps->model, first);
    if (!launch)
        add_slice(gaps, a, b, TP_IDLE_OUTSIDE, first);
    else
        split_gap_by_launch(gaps, a, b, first,
                            b - tp_event_end(launch) > TP_PROMPT_NS ? TP_IDLE_OUTSIDE : TP_IDLE_HOST);
}

static void split_gap(struct gaps *gaps, int64_t a, int64_t b, uint32_t next)
{
    if (tp_launch_of_device(gaps->model, next))
        split_gap_by_launch(gaps, a, b, next, TP_IDLE_HOST);
    else
        add_slice(gaps, a, b, TP_IDLE_UNKNOWN, next);
}

/* Returns the intervals in which a call waits for this device. A copy waits only until its own operation starts. */
static struct tp_intervals times_waiting_for_gpu(const struct tp_model *model, uint32_t gpu)
{
    struct tp_vec intervals = TP_VEC(model->arena, struct tp_interval);
    for (uint32_t i = 0; i < model->wait_count; i++) {
        const struct tp_wait *wait = &model->waits[i];
        const struct tp_event *call = &model->trace->events[wait->event];
        if (wait->gpu == gpu && call->kind == TP_KIND_RUNTIME)
            tp_intervals_push(&intervals, call->ts_ns, tp_ns_min(tp_event_end(call), wait->own_ns));
    }
    return tp_intervals_from_vec(&intervals);
}

static void split_gaps_into_slices(struct tp_model *model, struct tp_gpu *gpu)
{
    struct gaps gaps = {.model = model, .out = TP_VEC(model->arena, struct tp_idle_slice)};
    gaps.waiting = times_waiting_for_gpu(model, (uint32_t)(gpu - model->gpus));
    int64_t from = model->window.items[0].a, to = model->window.items[model->window.count - 1].b;
    const struct tp_intervals *busy = &gpu->busy;
    uint32_t k = 0;
    for (size_t i = 0; i < busy->count; i++) {
        int64_t b = busy->items[i].a;
        const struct tp_event *e = tp_device_event(model, gpu->events[k]);
        /* finds the first operation at or after b with a length > 0, because operations of length 0 end no gap */
        while (e->ts_ns < b || e->dur_ns == 0)
            e = tp_device_event(model, gpu->events[++k]);
        if (i)
            split_gap(&gaps, busy->items[i - 1].b, b, gpu->events[k]);
        else if (from < b)
            split_gap_before_first(&gaps, from, b, gpu->events[k]);
    }
    if (!busy->count)
        add_slice(&gaps, from, to, TP_IDLE_OUTSIDE, TP_NO_ID);
    else if (busy->items[busy->count - 1].b < to)
        add_slice(&gaps, tp_ns_max(from, busy->items[busy->count - 1].b), to, TP_IDLE_OUTSIDE, TP_NO_ID);
    tp_vec_fit(&gaps.out);
    gpu->idle = gaps.out.data;
    gpu->idle_count = (uint32_t)gaps.out.count;
}

struct tp_intervals tp_model_idle_times(const struct tp_model *model, bool is_starved, struct tp_arena *arena)
{
    struct tp_vec intervals = TP_VEC(arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++)
        for (uint32_t i = 0; i < model->gpus[g].idle_count; i++)
            if (!is_starved || tp_idle_waits_for_host(&model->gpus[g].idle[i]))
                tp_intervals_push(&intervals, model->gpus[g].idle[i].a, model->gpus[g].idle[i].b);
    return tp_intervals_from_vec(&intervals);
}

void tp_model_find_idle(struct tp_model *model)
{
    for (uint32_t g = 0; g < model->gpu_count && model->window.count; g++)
        split_gaps_into_slices(model, &model->gpus[g]);
    model->starved = tp_model_idle_times(model, true, model->arena);
}

const char *tp_idle_part_text(enum tp_idle_part part)
{
    static const char *const texts[] = {"host", "launch", "queue", "outside", "unknown"};
    return texts[part];
}

/* ---- waits of the host for devices ---- */

/* Returns an array with the latest end, ns, of the operations gpu->events[0 .. k] for each index k. */
static int64_t *latest_ends_so_far(const struct tp_model *model, const struct tp_gpu *gpu)
{
    int64_t *ends = tp_arena_array(model->arena, gpu->count, sizeof *ends);
    for (uint32_t i = 0; i < gpu->count; i++) {
        int64_t end = tp_event_end(tp_device_event(model, gpu->events[i]));
        ends[i] = i ? tp_ns_max(ends[i - 1], end) : end;
    }
    return ends;
}

/* Returns the wait that a call causes. The cost is the idle time of the device from the end of the call to the next
 * operation, but at most the length of the call. ends[gpu]: result of latest_ends_so_far; NULL until first used. */
static struct tp_wait make_wait_of_call(const struct tp_model *model, uint32_t event, uint32_t gpu, int64_t **ends)
{
    const struct tp_event *call = &model->trace->events[event];
    int64_t end = tp_event_end(call);
    struct tp_wait wait = {
        .event = event, .op = TP_NO_ID, .gpu = gpu, .kind = tp_event_range_kind(model, call), .at_ns = end};
    if (gpu == TP_NO_ID)
        return wait;
    if (!ends[gpu])
        ends[gpu] = latest_ends_so_far(model, &model->gpus[gpu]);
    uint32_t next = tp_first_operation_from(model, &model->gpus[gpu], end);
    if (next == model->gpus[gpu].count)
        return wait;
    wait.at_ns = next ? tp_ns_max(end, ends[gpu][next - 1]) : end;
    wait.bubble_ns = tp_ns_max(0, tp_device_event(model, model->gpus[gpu].events[next])->ts_ns - wait.at_ns);
    wait.cost_ns = tp_ns_min(wait.bubble_ns, call->dur_ns);
    return wait;
}

static void sort_waits(struct tp_model *model, struct tp_vec *found)
{
    struct tp_keyed *keys = tp_arena_array(model->arena, found->count, sizeof *keys);
    model->wait_count = (uint32_t)found->count;
    model->waits = tp_arena_array(model->arena, found->count, sizeof *model->waits);
    for (uint32_t i = 0; i < model->wait_count; i++) {
        uint32_t event = TP_AT(found, struct tp_wait, i)->event;
        keys[i] = (struct tp_keyed){model->trace->events[event].ts_ns, event, i};
    }
    tp_sort_keyed(keys, model->wait_count, model->arena);
    for (uint32_t i = 0; i < model->wait_count; i++)
        model->waits[i] = *TP_AT(found, struct tp_wait, keys[i].item);
}

/* Finds the calls of one thread that wait for a device. */
static void find_waiting_calls(const struct tp_model *model, uint32_t thread, int64_t **ends, struct tp_vec *found)
{
    const struct tp_launches *launches = &model->launches;
    uint32_t gpu = model->main_gpu; /* device on which this thread launched last */
    for (uint32_t i = launches->thread_first[thread]; i < launches->thread_first[thread + 1]; i++) {
        if (launches->first_device_operation[i] != TP_NO_ID)
            gpu = model->devices.gpu[launches->first_device_operation[i]];
        if (tp_event_range_kind(model, tp_launch_event(model, i)) == TP_RANGE_NONE)
            continue;
        struct tp_wait wait = make_wait_of_call(model, launches->event[i], gpu, ends);
        uint32_t own = launches->first_device_operation[i];
        wait.own_ns = own == TP_NO_ID ? INT64_MAX : tp_device_event(model, own)->ts_ns;
        wait.op = launches->op[i];
        *(struct tp_wait *)tp_vec_push(found) = wait;
    }
}

/* Finds the ranges of one thread that the program declared as sync. Skips a range that contains a waiting call, because
 * the call is already in the list. calls: index in `found` of this thread's first waiting call. */
static void find_waiting_ranges(const struct tp_model *model, uint32_t thread, size_t calls, int64_t **ends,
                                struct tp_vec *found)
{
    const struct tp_order *order = model->order;
    size_t count = found->count, next = calls;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        enum tp_range_kind declared = tp_event_declared_kind(e);
        if (declared != TP_RANGE_SYNC)
            continue;
        const struct tp_event *events = model->trace->events;
        while (next < count && events[TP_AT(found, struct tp_wait, next)->event].ts_ns < e->ts_ns)
            next++;
        bool contains_call = next < count && events[TP_AT(found, struct tp_wait, next)->event].ts_ns < tp_event_end(e);
        if (!contains_call)
            *(struct tp_wait *)tp_vec_push(found) = make_wait_of_call(model, order->host[i], model->main_gpu, ends);
    }
}

void tp_model_find_waits(struct tp_model *model)
{
    struct tp_vec found = TP_VEC(model->arena, struct tp_wait);
    int64_t **ends = tp_arena_array(model->arena, model->gpu_count, sizeof *ends);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        size_t calls = found.count;
        find_waiting_calls(model, t, ends, &found);
        if (tp_has_declared_kind(model, TP_RANGE_BIT(SYNC)))
            find_waiting_ranges(model, t, calls, ends, &found);
    }
    for (uint32_t g = 0; g < model->gpu_count; g++)
        tp_arena_free_item(model->arena, ends[g], model->gpus[g].count * sizeof **ends);
    sort_waits(model, &found);
}
