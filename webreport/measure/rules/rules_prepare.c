/* Finds data that several rules about devices need: operations, copies and annotated regions in the window of used
 * steps, and results of shared searches. Implements a part of rules_eval.h. */
#include "webreport/measure/rules/rules_eval.h"
#include "writer/base/sort.h"

/* Returns the index of the first operation that starts at time `at` or later. from: index at which the search
 * begins. */
static uint32_t first_operation_from(const struct tp_model *model, uint32_t from, int64_t at)
{
    uint32_t lo = from, hi = model->devices.count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_device_event(model, mid)->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void find_operations(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    uint32_t next = 0, most = 0, k;
    a->ranges = tp_arena_array(a->arena, model->window.count, sizeof *a->ranges);
    a->range_count = (uint32_t)model->window.count;
    for (size_t i = 0; i < model->window.count; i++) {
        uint32_t first = first_operation_from(model, next, model->window.items[i].a);
        next = first_operation_from(model, first, model->window.items[i].b);
        a->ranges[i] = (struct tp_operation_range){first, next};
        most += next - first;
    }
    a->kernels = tp_arena_array(a->arena, most, sizeof *a->kernels);
    a->copies = TP_VEC(a->arena, uint32_t);
    for (struct tp_operations w = {.a = a}; tp_next_operation(&w, &k);) {
        const struct tp_event *e = tp_device_event(model, k);
        a->operation_count++;
        if (e->kind == TP_KIND_MEMCPY)
            *(uint32_t *)tp_vec_push(&a->copies) = k;
        if (e->kind != TP_KIND_KERNEL)
            continue;
        a->kernels[a->kernel_count++] = k;
        a->kernel_ns = tp_sat_add(a->kernel_ns, e->dur_ns);
    }
}

static int compare_by_thread_and_time(const void *x, const void *y, const void *context)
{
    const struct tp_event *events = context;
    uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
    const struct tp_event *p = &events[i], *q = &events[j];
    if (p->thread != q->thread)
        return p->thread < q->thread ? -1 : 1;
    if (p->ts_ns != q->ts_ns)
        return p->ts_ns < q->ts_ns ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Finds the regions in one pass over the events. The pass is fast, because it checks the marks of names, and few names
 * have these marks. */
static void find_regions(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    const uint64_t optimizer = TP_MARK_OPTIMIZER_STEP | TP_MARK_ZERO_GRAD;
    struct tp_vec steps = TP_VEC(a->arena, struct tp_interval);
    a->regions = a->loading = TP_VEC(a->arena, uint32_t);
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (e->kind == TP_KIND_ANNOTATION &&
            (model->marks[e->name] & optimizer || tp_event_range_kind(model, e) == TP_RANGE_INPUT))
            *(uint32_t *)tp_vec_push(&a->regions) = i;
        else if (e->kind == TP_KIND_OVERHEAD && model->marks[e->name] & TP_MARK_LOADING)
            *(uint32_t *)tp_vec_push(&a->loading) = i;
    }
    for (size_t i = 0; i < a->regions.count; i++) {
        const struct tp_event *e = &model->trace->events[*TP_AT(&a->regions, uint32_t, i)];
        if (model->marks[e->name] & optimizer)
            tp_intervals_push(&steps, e->ts_ns, tp_event_end(e));
    }
    a->optimizer = tp_intervals_from_vec(&steps);
    tp_merge_sort(a->arena, a->regions.data, a->regions.count, sizeof(uint32_t), compare_by_thread_and_time,
                  model->trace->events);
}

void tp_rules_prepare_gpu(struct tp_advisor *a)
{
    find_operations(a);
    find_regions(a);
}

unsigned tp_enclosing_kinds(struct tp_advisor *a, uint32_t op)
{
    static const struct {
        uint64_t mark;
        uint8_t bit;
    } bits[] = {{TP_MARK_SHAPE_OP, TP_ENCLOSED_BY_SHAPE},
                {TP_MARK_SCALAR_OP, TP_ENCLOSED_BY_SCALAR},
                {TP_MARK_FILL_OP, TP_ENCLOSED_BY_FILL},
                {TP_MARK_COPY_OP, TP_ENCLOSED_BY_COPY},
                {TP_MARK_BACKWARD_NODE, TP_ENCLOSED_BY_BACKWARD}};
    const struct tp_operators *ops = &a->model->operators;
    if (op == TP_NO_ID)
        return 0;
    if (a->above)
        return a->above[op];
    a->above = tp_arena_array(a->arena, ops->count, 1);
    /* parents have smaller indexes than their children, so the bits of the parents are already computed */
    for (uint32_t i = 0; i < ops->count; i++) {
        uint64_t marks = tp_event_marks(a->model, ops->event[i]);
        unsigned above = ops->parent[i] == TP_NO_ID ? 0 : a->above[ops->parent[i]];
        for (unsigned b = 0; b < sizeof bits / sizeof *bits; b++)
            above |= marks & bits[b].mark ? bits[b].bit : 0;
        a->above[i] = (uint8_t)above;
    }
    return a->above[op];
}

struct tp_vec tp_starved_time_before(const struct tp_advisor *a, bool (*is_one)(const void *context, uint32_t device),
                                     const void *context)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t g = 0; g < a->model->gpu_count; g++) {
        const struct tp_gpu *gpu = &a->model->gpus[g];
        for (uint32_t i = 0; i < gpu->idle_count; i++)
            if (tp_idle_waits_for_host(&gpu->idle[i]) && is_one(context, gpu->idle[i].next))
                tp_intervals_push(&time, gpu->idle[i].a, gpu->idle[i].b);
    }
    return time;
}

struct tp_intervals tp_time_waiting_for_host(struct tp_advisor *a)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    bool is_any = false;
    for (uint32_t g = 0; g < a->model->gpu_count; g++) {
        const struct tp_gpu *gpu = &a->model->gpus[g];
        is_any |= gpu->is_own;
        for (uint32_t i = 0; gpu->is_own && i < gpu->idle_count; i++)
            if (gpu->idle[i].part >= TP_IDLE_OUTSIDE)
                tp_intervals_push(&time, gpu->idle[i].a, gpu->idle[i].b);
    }
    if (!is_any)
        return a->model->starved;
    tp_intervals_append(&time, a->model->starved);
    return tp_intervals_from_vec(&time);
}
