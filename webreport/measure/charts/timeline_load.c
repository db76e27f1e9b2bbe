/* Computes the load curves of devices and the phases of the main lane. Busy time comes from the model's busy intervals,
 * SM efficiency from a sweep over the running kernels. */
#include "webreport/measure/charts/timeline_load.h"

#include "webreport/measure/audience/wording.h"

#include <stdlib.h>

#include "webreport/measure/charts/timeline_pack.h"

enum { FINER = TP_LOAD_BUCKETS / TP_TIMELINE_LOAD_BUCKETS };
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

static uint8_t *shares_of_wider_buckets(struct tp_arena *arena, const uint64_t *fine, uint64_t width)
{
    uint64_t sums[TP_TIMELINE_LOAD_BUCKETS] = {0};
    for (size_t i = 0; i < TP_LOAD_BUCKETS; i++)
        sums[i / FINER] += fine[i];
    uint8_t *shares = tp_arena_alloc(arena, TP_TIMELINE_LOAD_BUCKETS);
    tp_pack_fill_shares(shares, sums, TP_TIMELINE_LOAD_BUCKETS, width * FINER);
    return shares;
}

static void add_busy_load(uint64_t *buckets, const struct tp_timeline *timeline, struct tp_intervals busy,
                          uint64_t width)
{
    uint64_t origin = (uint64_t)timeline->start_ns;
    for (size_t i = 0; i < busy.count; i++)
        tp_pack_add_to_buckets(buckets, TP_LOAD_BUCKETS, width, (uint64_t)busy.items[i].a - origin,
                               (uint64_t)busy.items[i].b - origin);
}

struct tp_str tp_timeline_pack_device_load(struct tp_timeline *timeline, struct tp_arena *arena)
{
    const struct tp_model *model = timeline->model;
    uint32_t count = model->gpu_count < TP_TIMELINE_MAX_LANES ? model->gpu_count : TP_TIMELINE_MAX_LANES;
    uint64_t width = timeline->drawn_range_ns / TP_LOAD_BUCKETS + 1;
    uint64_t *buckets = tp_arena_array(arena, TP_LOAD_BUCKETS, sizeof *buckets);
    uint8_t *curves = tp_arena_array(arena, (size_t)2 * TP_LOAD_BUCKETS, count ? count : 1), *at = curves;
    struct sweep sweep = {.heap = TP_VEC(arena, struct running), .width = width, .buckets = buckets};
    timeline->gpus = tp_arena_array(arena, count, sizeof *timeline->gpus);
    timeline->gpu_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_timeline_gpu *gpu = &timeline->gpus[i];
        gpu->id = model->gpus[i].id;
        gpu->title = tp_device_title(model, gpu->id, arena);
        memset(buckets, 0, TP_LOAD_BUCKETS * sizeof *buckets);
        add_busy_load(buckets, timeline, model->gpus[i].busy, width);
        gpu->busy = shares_of_wider_buckets(arena, buckets, width);
        tp_pack_fill_shares(at, buckets, TP_LOAD_BUCKETS, width);
        at += TP_LOAD_BUCKETS;
        memset(buckets, 0, TP_LOAD_BUCKETS * sizeof *buckets);
        gpu->has_sm_efficiency = compute_sm_load(timeline, &model->gpus[i], &sweep);
        if (!gpu->has_sm_efficiency)
            continue;
        gpu->sm = shares_of_wider_buckets(arena, buckets, width);
        tp_pack_fill_shares(at, buckets, TP_LOAD_BUCKETS, width);
        at += TP_LOAD_BUCKETS;
    }
    return (struct tp_str){(char *)curves, (size_t)(at - curves)};
}

/* ---- phases ---- */

static int compare_by_length(const void *a, const void *b)
{
    const struct tp_pack_phase *x = a, *y = b;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns < y->dur_ns ? 1 : -1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int compare_by_start(const void *a, const void *b)
{
    const struct tp_pack_phase *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

void tp_timeline_add_phases(struct tp_timeline *timeline, const struct tp_pack *pack)
{
    struct tp_pack_phase *found = pack->phases.data;
    size_t count = 0;
    for (size_t i = 0; i < pack->phases.count; i++)
        if (timeline->lanes[found[i].lane].rank == 0 && found[i].dur_ns > timeline->drawn_range_ns / 2000)
            found[count++] = found[i];
    if (count) /* all starts are distinct, because the phases of a lane do not overlap */
        qsort(found, count, sizeof *found, compare_by_length);
    count = count < TP_TIMELINE_MAX_PHASES ? count : TP_TIMELINE_MAX_PHASES;
    if (count)
        qsort(found, count, sizeof *found, compare_by_start);
    timeline->phases = tp_arena_array(pack->arena, count, sizeof *timeline->phases);
    timeline->phase_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        timeline->phases[i] =
            (struct tp_timeline_phase){tp_strings_get(&timeline->model->trace->names, found[i].name), found[i].start_ns,
                                       found[i].dur_ns, tp_pack_class_of_name(pack, found[i].name)};
}
