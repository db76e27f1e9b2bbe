/* Computes the load curves of devices. Busy time comes from the model's busy intervals,
 * SM efficiency from a sweep over the running kernels. */
#include "webreport/measure/charts/timeline_load.h"

#include "webreport/measure/audience/wording.h"

#include <stdlib.h>

#include "webreport/measure/charts/timeline_pack.h"

static const int64_t ONE = 1000000000; /* the level 1, which is one block per SM; levels are stored in billionths */

/* ---- SM efficiency ---- */

/* a running kernel, as an item of a heap that is ordered by the kernels' ends */
struct running {
    int64_t end, level;
};

struct sweep {
    struct tp_vec heap;
    /* level: blocks per SM of all running kernels, each kernel limited to 1, in billionths; at: current time, ns */
    int64_t level, at;
    int64_t origin;
    uint64_t width;
    uint64_t *buckets; /* for each bucket: time of full use of all SMs, ns */
};

static void push_running_operation(struct tp_vec *heap, struct running item)
{
    tp_vec_push(heap);
    struct running *items = heap->data;
    size_t i = heap->count - 1;
    for (; i > 0 && items[(i - 1) / 2].end > item.end; i = (i - 1) / 2)
        items[i] = items[(i - 1) / 2];
    items[i] = item;
}

static struct running pop_operation_that_ends_first(struct tp_vec *heap)
{
    struct running *items = heap->data, top = items[0], last = items[--heap->count];
    size_t i = 0;
    for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
        child += child + 1 < heap->count && items[child + 1].end < items[child].end;
        if (items[child].end >= last.end)
            break;
        items[i] = items[child];
        i = child;
    }
    if (heap->count)
        items[i] = last;
    return top;
}

/* Adds the time from s->at to `until`, weighted by the current level. A level above 1 is treated as 1. */
static void add_time_at_level(struct sweep *s, int64_t until)
{
    if (until <= s->at)
        return;
    uint64_t a = (uint64_t)s->at - (uint64_t)s->origin, b = (uint64_t)until - (uint64_t)s->origin;
    int64_t level = s->level < ONE ? s->level : ONE;
    s->at = until;
    for (uint64_t i = a / s->width; level && i < TP_LOAD_BUCKETS && a < b; i++) {
        uint64_t border = (i + 1) * s->width, end = b < border ? b : border;
        s->buckets[i] += (uint64_t)((unsigned __int128)(end - a) * (uint64_t)level / (uint64_t)ONE);
        a = end;
    }
}

static void finish_operations_until(struct sweep *s, int64_t time)
{
    while (s->heap.count && ((struct running *)s->heap.data)[0].end <= time) {
        struct running done = pop_operation_that_ends_first(&s->heap);
        add_time_at_level(s, done.end);
        s->level -= done.level;
    }
    add_time_at_level(s, time);
}

static int64_t blocks_per_sm(const struct tp_trace *trace, const struct tp_event *event)
{
    if (event->kind != TP_KIND_KERNEL || event->detail == TP_NO_ID)
        return 0;
    int64_t blocks = tp_device_setup(trace, event->detail)->blocks_per_sm_e9;
    /* TP_NULL_INT (number of blocks unknown) is negative and gives 0 */
    return blocks <= 0 ? 0 : blocks < ONE ? blocks : ONE;
}

/* Sums the time of full use of the SMs per bucket, ns. Returns false if the trace has no blocks per SM for any
 * kernel. */
static bool compute_sm_load(const struct tp_timeline *timeline, const struct tp_gpu *gpu, struct sweep *s)
{
    const struct tp_model *model = timeline->model;
    bool is_any = false;
    s->at = s->origin = timeline->start_ns;
    s->level = 0;
    s->heap.count = 0;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *event = tp_device_event(model, gpu->events[i]);
        int64_t level = blocks_per_sm(model->trace, event);
        if (!level)
            continue;
        is_any = true;
        finish_operations_until(s, event->ts_ns);
        push_running_operation(&s->heap, (struct running){tp_event_end(event), level});
        s->level += level;
    }
    finish_operations_until(s, INT64_MAX);
    return is_any;
}

/* ---- devices ---- */

static void add_busy_load(uint64_t *buckets, const struct tp_timeline *timeline, struct tp_intervals busy,
                          uint64_t width)
{
    uint64_t origin = (uint64_t)timeline->start_ns;
    for (size_t i = 0; i < busy.count; i++)
        tp_pack_add_to_buckets(buckets, TP_LOAD_BUCKETS, width, (uint64_t)busy.items[i].a - origin,
                               (uint64_t)busy.items[i].b - origin);
}

/* Fills `shares` with the number of operations that are launched and not yet started at the end of each bucket, as
 * parts of the largest of these numbers. Returns this number; 0 if no launch is known. */
static uint32_t fill_queue(uint8_t *shares, const struct tp_timeline *timeline, const struct tp_gpu *gpu,
                           uint64_t width)
{
    const struct tp_model *model = timeline->model;
    int32_t changes[TP_LOAD_BUCKETS] = {0}, depth = 0, most = 0;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *event = tp_device_event(model, gpu->events[i]);
        const struct tp_event *launch = tp_launch_of_device(model, gpu->events[i]);
        if (!launch || launch->ts_ns > event->ts_ns || launch->ts_ns < timeline->start_ns)
            continue;
        uint64_t from = ((uint64_t)launch->ts_ns - (uint64_t)timeline->start_ns) / width;
        uint64_t to = ((uint64_t)event->ts_ns - (uint64_t)timeline->start_ns) / width;
        if (to >= TP_LOAD_BUCKETS)
            continue;
        changes[from]++;
        changes[to]--;
    }
    for (int i = 0; i < TP_LOAD_BUCKETS; i++) {
        changes[i] = depth += changes[i];
        most = depth > most ? depth : most;
    }
    for (int i = 0; i < TP_LOAD_BUCKETS && most; i++)
        shares[i] = (uint8_t)(((int64_t)changes[i] * UINT8_MAX + most - 1) / most);
    return (uint32_t)most;
}

struct tp_str tp_timeline_pack_device_load(struct tp_timeline *timeline, struct tp_arena *arena)
{
    const struct tp_model *model = timeline->model;
    uint32_t count = model->gpu_count < TP_TIMELINE_MAX_LANES ? model->gpu_count : TP_TIMELINE_MAX_LANES;
    uint64_t width = timeline->drawn_range_ns / TP_LOAD_BUCKETS + 1;
    uint64_t *buckets = tp_arena_array(arena, TP_LOAD_BUCKETS, sizeof *buckets);
    uint8_t *curves = tp_arena_array(arena, (size_t)3 * TP_LOAD_BUCKETS, count ? count : 1), *at = curves;
    struct sweep sweep = {.heap = TP_VEC(arena, struct running), .width = width, .buckets = buckets};
    timeline->gpus = tp_arena_array(arena, count, sizeof *timeline->gpus);
    timeline->gpu_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_timeline_gpu *gpu = &timeline->gpus[i];
        gpu->id = model->gpus[i].id;
        gpu->title = tp_device_title(model, gpu->id, arena);
        memset(buckets, 0, TP_LOAD_BUCKETS * sizeof *buckets);
        add_busy_load(buckets, timeline, model->gpus[i].busy, width);
        tp_pack_fill_shares(at, buckets, TP_LOAD_BUCKETS, width);
        at += TP_LOAD_BUCKETS;
        memset(buckets, 0, TP_LOAD_BUCKETS * sizeof *buckets);
        gpu->has_sm_efficiency = compute_sm_load(timeline, &model->gpus[i], &sweep);
        if (gpu->has_sm_efficiency) {
            tp_pack_fill_shares(at, buckets, TP_LOAD_BUCKETS, width);
            at += TP_LOAD_BUCKETS;
        }
        gpu->queue_depth = fill_queue(at, timeline, &model->gpus[i], width);
        at += gpu->queue_depth ? TP_LOAD_BUCKETS : 0;
    }
    return (struct tp_str){(char *)curves, (size_t)(at - curves)};
}
