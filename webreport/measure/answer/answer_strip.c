/* Builds the strip: one step in time, with the work of the device and the work of the host (answer_strip.h). A slice
 * shorter than a pixel of a wide screen is joined with its neighbour. */
#include "webreport/measure/answer/answer_strip.h"

#include "webreport/model/numbers.h"

enum { PIXELS = 1200 };

/* ---- device ---- */

static uint8_t shade_of_work(const struct tp_answer_part *part, unsigned work)
{
    for (uint8_t i = 0; i < part->segment_count; i++)
        if (part->segments[i].work == (enum tp_work)work)
            return i;
    return part->segment_count ? (uint8_t)(part->segment_count - 1) : 0;
}

static struct tp_strip_slice slice_of_operation(const struct tp_answer *answer, const struct tp_answer_basis *basis,
                                                uint32_t device)
{
    const struct tp_event *e = tp_device_event(basis->model, device);
    struct tp_strip_slice slice = {e->ts_ns, tp_event_end(e), TP_ANSWER_WORK, 0, e->name};
    if (tp_is_communication(basis->model, device))
        slice.part = TP_ANSWER_COMMUNICATION;
    else if (e->kind != TP_KIND_KERNEL)
        slice.part = TP_ANSWER_COPY;
    else
        slice.shade = shade_of_work(&answer->parts[TP_ANSWER_WORK], basis->kinds->of_device[device]);
    return slice;
}

static bool is_same_look(const struct tp_strip_slice *x, const struct tp_strip_slice *y)
{
    return x->part == y->part && x->shade == y->shade;
}

/* Appends a slice. Joins it with the last slice if both look the same, or if it is too short to be seen. */
static void add_slice(struct tp_vec *slices, struct tp_strip_slice slice, int64_t pixel_ns)
{
    struct tp_strip_slice *last = slices->count ? TP_AT(slices, struct tp_strip_slice, slices->count - 1) : NULL;
    if (last && tp_sat_sub(slice.a, last->b) < pixel_ns &&
        (is_same_look(last, &slice) || tp_sat_sub(slice.b, slice.a) < pixel_ns)) {
        last->b = tp_ns_max(last->b, slice.b);
        return;
    }
    if (last && slice.a < last->b)
        slice.a = last->b;
    if (slice.b > slice.a)
        *(struct tp_strip_slice *)tp_vec_push(slices) = slice;
}

static void add_device_lane(struct tp_strip *strip, const struct tp_answer *answer, const struct tp_answer_basis *basis,
                            const struct tp_gpu *gpu, struct tp_arena *arena)
{
    const struct tp_model *model = basis->model;
    int64_t pixel_ns = tp_sat_sub(strip->end_ns, strip->start_ns) / PIXELS + 1;
    struct tp_vec slices = TP_VEC(arena, struct tp_strip_slice);
    /* an operation that is still running at the start belongs to the step before */
    for (uint32_t i = tp_first_operation_from(model, gpu, strip->start_ns); i < gpu->count; i++) {
        struct tp_strip_slice slice = slice_of_operation(answer, basis, gpu->events[i]);
        if (slice.a >= strip->end_ns)
            break;
        strip->first_work_ns = tp_ns_min(strip->first_work_ns, slice.a);
        slice.b = tp_ns_min(slice.b, strip->end_ns);
        add_slice(&slices, slice, pixel_ns);
    }
    tp_vec_fit(&slices);
    strip->lanes[strip->lane_count++] =
        (struct tp_strip_lane){.id = gpu->id, .slices = slices.data, .count = (uint32_t)slices.count};
}

/* ---- host ---- */

/* An event of the main thread that has not ended yet. */
struct open_event {
    uint32_t event;
    int64_t end_ns;
    int64_t widest_ns, inner_ns; /* longest child, and sum of all children, within the step, ns */
    size_t first;                /* number of slices when the event started */
};

struct host_lane {
    const struct tp_answer *answer;
    const struct tp_answer_basis *basis;
    const struct tp_strip *strip;
    struct tp_vec slices, open; /* elements: struct tp_strip_slice, struct open_event */
    int64_t pixel_ns;
};

/* Returns the part whose color a host event gets. */
static uint8_t part_of_event(const struct host_lane *lane, const struct tp_event *e)
{
    const struct tp_model *model = lane->basis->model;
    enum tp_range_kind kind = tp_event_range_kind(model, e);
    if (kind == TP_RANGE_INPUT)
        return TP_ANSWER_INPUT;
    if (kind == TP_RANGE_COMMUNICATION)
        return TP_ANSWER_COMMUNICATION;
    if (kind == TP_RANGE_SYNC || kind == TP_RANGE_WAIT)
        return lane->answer->has_device ? TP_ANSWER_KINDS : TP_ANSWER_SYNC;
    if (!lane->answer->has_device)
        return e->kind == TP_KIND_OPERATOR ? TP_ANSWER_WORK : TP_ANSWER_BETWEEN;
    const struct tp_answer_part *code = &lane->answer->parts[TP_ANSWER_CODE];
    int64_t ns = tp_intervals_length_within(code->times, e->ts_ns, tp_event_end(e));
    return ns > e->dur_ns / 2 ? TP_ANSWER_CODE : TP_ANSWER_LAUNCH;
}

/* Returns whether the strip shows the events inside an event instead of the event: it marks a step, it only calls
 * another one, or it fills most of the step. own_ns: length of the event within the step, ns. */
static bool is_shown_by_its_parts(const struct host_lane *lane, const struct open_event *open, int64_t own_ns)
{
    const struct tp_event *e = &lane->basis->model->trace->events[open->event];
    int64_t step_ns = tp_sat_sub(lane->strip->end_ns, lane->strip->start_ns);
    if (!open->widest_ns || part_of_event(lane, e) == TP_ANSWER_INPUT)
        return false;
    return lane->basis->model->marks[e->name] & TP_MARK_STEP || open->widest_ns >= own_ns / 10 * 9 ||
           (own_ns >= step_ns / 2 && open->inner_ns >= own_ns / 2);
}

/* Appends a slice of the host. A short slice is joined with its neighbour of the same color, so that many short events
 * become one slice; the longer one gives the name. */
static void add_host_slice(struct host_lane *lane, const struct tp_event *e, int64_t a, int64_t b)
{
    int64_t short_ns = lane->pixel_ns * PIXELS / 40, gap_ns = lane->pixel_ns * PIXELS / 200;
    struct tp_strip_slice slice = {a, b, part_of_event(lane, e), 0, e->name};
    struct tp_strip_slice *last =
        lane->slices.count ? TP_AT(&lane->slices, struct tp_strip_slice, lane->slices.count - 1) : NULL;
    int64_t ns = tp_sat_sub(b, a);
    if (ns < lane->pixel_ns)
        return;
    bool is_short = ns < short_ns, is_last_short = last && tp_sat_sub(last->b, last->a) < short_ns;
    if (last && last->part == slice.part && tp_sat_sub(a, last->b) < gap_ns && (is_short || is_last_short)) {
        last->name = is_short && is_last_short ? TP_NO_ID : is_short ? last->name : slice.name;
        last->b = tp_ns_max(last->b, b);
        return;
    }
    *(struct tp_strip_slice *)tp_vec_push(&lane->slices) = slice;
}

static void close_last_event(struct host_lane *lane)
{
    struct open_event open = *TP_AT(&lane->open, struct open_event, --lane->open.count);
    const struct tp_event *e = &lane->basis->model->trace->events[open.event];
    struct open_event *outer = lane->open.count ? TP_AT(&lane->open, struct open_event, lane->open.count - 1) : NULL;
    int64_t a = tp_ns_max(e->ts_ns, lane->strip->start_ns), b = tp_ns_min(open.end_ns, lane->strip->end_ns);
    if (outer) {
        outer->widest_ns = tp_ns_max(outer->widest_ns, tp_sat_sub(b, a));
        outer->inner_ns = tp_sat_add(outer->inner_ns, tp_sat_sub(b, a));
    }
    if (is_shown_by_its_parts(lane, &open, tp_sat_sub(b, a)))
        return;
    lane->slices.count = open.first;
    add_host_slice(lane, e, a, b);
}

static void open_event(struct host_lane *lane, uint32_t event)
{
    *(struct open_event *)tp_vec_push(&lane->open) = (struct open_event){
        .event = event, .end_ns = tp_event_end(&lane->basis->model->trace->events[event]), .first = lane->slices.count};
}

/* Opens an event and the events around it, from the outside in. Leaves out an event that ends before an event inside
 * it. */
static void open_events_around(struct host_lane *lane, uint32_t event)
{
    const struct tp_model *model = lane->basis->model;
    size_t first = lane->open.count;
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_event_around(model, model->inside[i], lane->strip->start_ns)) {
        if (tp_event_end(&model->trace->events[i]) < end_ns)
            continue;
        end_ns = tp_event_end(&model->trace->events[i]);
        open_event(lane, i);
    }
    struct open_event *open = lane->open.data;
    for (size_t i = first, k = lane->open.count; i + 1 < k; i++) {
        struct open_event last = open[--k];
        open[k] = open[i];
        open[i] = last;
    }
}

static void add_host_lane(struct tp_strip *strip, const struct tp_answer *answer, const struct tp_answer_basis *basis,
                          uint32_t thread, struct tp_arena *arena)
{
    const struct tp_model *model = basis->model;
    const struct tp_order *order = model->order;
    struct host_lane lane = {.answer = answer,
                             .basis = basis,
                             .strip = strip,
                             .slices = TP_VEC(arena, struct tp_strip_slice),
                             .open = TP_VEC(arena, struct open_event),
                             .pixel_ns = tp_sat_sub(strip->end_ns, strip->start_ns) / PIXELS + 1};
    open_events_around(&lane, tp_innermost_event(model, thread, strip->start_ns));
    for (uint32_t i = tp_order_first_from(model->order, model->trace, thread, strip->start_ns + 1);
         i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->ts_ns >= strip->end_ns)
            break;
        if (e->dur_ns <= 0)
            continue;
        /* also closes an event that ends within this one, because broken nesting has no inside */
        while (lane.open.count && TP_AT(&lane.open, struct open_event, lane.open.count - 1)->end_ns < tp_event_end(e))
            close_last_event(&lane);
        open_event(&lane, order->host[i]);
    }
    while (lane.open.count)
        close_last_event(&lane);
    tp_vec_fit(&lane.slices);
    if (!lane.slices.count)
        return;
    strip->lanes[strip->lane_count++] =
        (struct tp_strip_lane){.is_host = true, .slices = lane.slices.data, .count = (uint32_t)lane.slices.count};
}

static const struct tp_gpu *gpu_with_id(const struct tp_model *model, int64_t id)
{
    for (uint32_t g = 0; g < model->gpu_count; g++)
        if (model->gpus[g].id == id)
            return &model->gpus[g];
    return NULL;
}

void tp_answer_build_strip(struct tp_strip *strip, const struct tp_answer *answer, const struct tp_answer_basis *basis,
                           uint32_t step, struct tp_arena *arena)
{
    const struct tp_model *model = basis->model;
    *strip = (struct tp_strip){.step = step,
                               .start_ns = model->steps[step].start_ns,
                               .end_ns = model->steps[step].end_ns,
                               .first_work_ns = INT64_MAX};
    const struct tp_gpu *gpu = answer->has_device ? gpu_with_id(model, basis->verdict->device) : NULL;
    if (gpu)
        add_device_lane(strip, answer, basis, gpu, arena);
    uint32_t thread = gpu && gpu->main_thread != TP_NO_ID ? gpu->main_thread : model->host_main;
    if (thread != TP_NO_ID)
        add_host_lane(strip, answer, basis, thread, arena);
}
