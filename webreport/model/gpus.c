/* Groups device operations by device. Computes the intervals of each activity of a device, its main thread and its
 * properties (docs/definitions.md, D13, D18, sections 3 and 6). Then computes the intervals of every category of a
 * step's time (D1). */
#include <assert.h>

#include "webreport/model/device_rows.h"
#include "webreport/model/stages.h"
#include "writer/base/renumber.h"
#include "writer/base/sort.h"

/* Sets the device index of every device operation. Returns the device numbers in ascending order. */
static int64_t *assign_gpu_indexes(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    struct tp_vec numbers = TP_VEC(model->arena, struct tp_keyed);
    struct tp_ids ids;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (uint32_t k = 0; k < devices->count; k++) {
        int64_t number = tp_device_id_of_event(model, tp_device_event(model, k));
        lowest = number < lowest ? number : lowest;
        highest = number > highest ? number : highest;
    }
    tp_ids_init(&ids, model->arena, lowest, highest, 1024);
    for (uint32_t k = 0; k < devices->count; k++) {
        int64_t number = tp_device_id_of_event(model, tp_device_event(model, k));
        uint32_t id = devices->gpu[k] = tp_ids_add(&ids, number);
        if (id == numbers.count)
            *(struct tp_keyed *)tp_vec_push(&numbers) = (struct tp_keyed){number, 0, id};
    }
    struct tp_keyed *sorted = numbers.data;
    uint32_t count = ids.count, *rank = tp_arena_array(model->arena, count, sizeof *rank);
    int64_t *ascending = tp_arena_array(model->arena, count, sizeof *ascending);
    assert(sorted); /* not NULL, because there is at least one device operation */
    tp_sort_keyed(sorted, count, model->arena);
    for (uint32_t i = 0; i < count; i++) {
        rank[sorted[i].item] = i;
        ascending[i] = sorted[i].key;
    }
    for (uint32_t k = 0; k < devices->count; k++)
        devices->gpu[k] = rank[devices->gpu[k]];
    model->gpu_count = count;
    return ascending;
}

static uint32_t count_streams(const struct tp_model *model, const struct tp_gpu *gpu)
{
    struct tp_ids ids;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (uint32_t i = 0; i < gpu->count; i++) {
        int64_t number = tp_stream_number(model, tp_device_event(model, gpu->events[i]));
        lowest = number < lowest ? number : lowest;
        highest = number > highest ? number : highest;
    }
    tp_ids_init(&ids, model->arena, lowest, highest, 1024);
    for (uint32_t i = 0; i < gpu->count; i++)
        tp_ids_add(&ids, tp_stream_number(model, tp_device_event(model, gpu->events[i])));
    uint32_t count = ids.count;
    tp_ids_release(&ids, model->arena);
    return count;
}

static struct tp_intervals merge_interval_sets(struct tp_arena *arena, struct tp_intervals x, struct tp_intervals y)
{
    struct tp_vec both = TP_VEC(arena, struct tp_interval);
    tp_intervals_append(&both, x);
    tp_intervals_append(&both, y);
    return tp_intervals_from_vec(&both);
}

/* Computes the intervals of each activity of a device. Without communication, the members `kernels` and `compute` share
 * one array. */
static void find_time_sets(struct tp_model *model, struct tp_gpu *gpu)
{
    enum { COMPUTE, COMMUNICATION, COPY, BUSY, COUNT };
    struct tp_vec intervals[COUNT];
    for (int i = 0; i < COUNT; i++)
        intervals[i] = TP_VEC(model->arena, struct tp_interval);
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        bool is_communication = tp_is_communication(model, gpu->events[i]);
        unsigned lane = e->kind != TP_KIND_KERNEL ? COPY : is_communication ? COMMUNICATION : COMPUTE;
        tp_intervals_push(&intervals[lane], e->ts_ns, tp_event_end(e));
        tp_intervals_push(&intervals[BUSY], e->ts_ns, tp_event_end(e));
    }
    gpu->busy = tp_intervals_from_vec(&intervals[BUSY]);
    gpu->compute = tp_intervals_from_vec(&intervals[COMPUTE]);
    gpu->communication = tp_intervals_from_vec(&intervals[COMMUNICATION]);
    gpu->copies = tp_intervals_from_vec(&intervals[COPY]);
    gpu->kernels =
        gpu->communication.count ? merge_interval_sets(model->arena, gpu->compute, gpu->communication) : gpu->compute;
    gpu->exposed_communication = tp_intervals_difference(model->arena, gpu->communication, gpu->compute);
    struct tp_intervals rest = tp_intervals_difference(model->arena, gpu->copies, gpu->compute);
    gpu->exposed_copy = tp_intervals_difference(model->arena, rest, gpu->communication);
}

/* Returns the main thread of the host if it launches on the device. Otherwise returns the thread with the most launches
 * on the device (if equal, the smallest thread). Returns TP_NO_ID if no operation has a launch. */
static uint32_t find_main_thread(const struct tp_model *model, const struct tp_gpu *gpu)
{
    const struct tp_trace *trace = model->trace;
    uint32_t *launched = tp_arena_array(model->arena, trace->thread_count, sizeof *launched), best = TP_NO_ID;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *launch = tp_launch_of_device(model, gpu->events[i]);
        if (launch)
            launched[launch->thread]++;
    }
    bool has_main = model->host_main != TP_NO_ID && launched[model->host_main];
    for (uint32_t t = 0; t < trace->thread_count && !has_main; t++)
        if (launched[t] &&
            (best == TP_NO_ID || launched[t] > launched[best] ||
             (launched[t] == launched[best] && tp_thread_compare(&trace->threads[t], &trace->threads[best]) < 0)))
            best = t;
    tp_arena_free_item(model->arena, launched, trace->thread_count * sizeof *launched);
    return has_main ? model->host_main : best;
}

/* Sets is_own and the name if the program itself declared the device. Such a device has a name, no other property,
 * and no launches. */
static void add_declared_communication(const struct tp_model *model, struct tp_gpu *gpu)
{
    const struct tp_gpu_property *p = tp_model_gpu_property(model->trace, gpu->id);
    gpu->is_own = tp_is_bare_property(p) && gpu->main_thread == TP_NO_ID;
    if (gpu->is_own)
        gpu->name = p->name;
}

void tp_model_group_gpus(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    model->main_gpu = TP_NO_ID;
    if (!devices->count)
        return;
    tp_device_rows_build(model);
    devices->gpu = tp_arena_array(model->arena, devices->count, sizeof *devices->gpu);
    int64_t *numbers = assign_gpu_indexes(model);
    uint32_t *items = tp_arena_array(model->arena, devices->count, sizeof *items);
    model->gpus = tp_arena_array(model->arena, model->gpu_count, sizeof *model->gpus);
    for (uint32_t k = 0; k < devices->count; k++)
        model->gpus[devices->gpu[k]].count++;
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        model->gpus[g].id = numbers[g];
        model->gpus[g].name = TP_STR("");
        model->gpus[g].events = items;
        items += model->gpus[g].count;
        model->gpus[g].count = 0;
    }
    tp_device_rows_name_gpus(model);
    for (uint32_t k = 0; k < devices->count; k++) {
        struct tp_gpu *gpu = &model->gpus[devices->gpu[k]];
        gpu->events[gpu->count++] = k;
    }
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        struct tp_gpu *gpu = &model->gpus[g];
        if (model->main_gpu == TP_NO_ID || gpu->count > model->gpus[model->main_gpu].count)
            model->main_gpu = g;
        find_time_sets(model, gpu);
        gpu->stream_count = count_streams(model, gpu);
        gpu->main_thread = find_main_thread(model, gpu);
        add_declared_communication(model, gpu);
    }
}

/* ---- categories of the time of steps ---- */

static void add_event_time(struct tp_model *model, struct tp_vec *intervals, enum tp_time_category category,
                           const struct tp_event *e)
{
    model->has_category[category] = true;
    tp_intervals_push(&intervals[category], e->ts_ns, tp_event_end(e));
}

/* Adds an operator or annotation to the category of its kind. Ignores markers of steps. */
static void add_host_time(struct tp_model *model, struct tp_vec *intervals, const struct tp_event *e)
{
    static const enum tp_time_category categories[TP_RANGE_KINDS] = {
        [TP_RANGE_NONE] = TP_CATEGORY_CPU_EXEC,    [TP_RANGE_COMPUTE] = TP_CATEGORY_CPU_EXEC,
        [TP_RANGE_INPUT] = TP_CATEGORY_DATALOADER, [TP_RANGE_COMMUNICATION] = TP_CATEGORY_COMMUNICATION,
        [TP_RANGE_COPY] = TP_CATEGORY_MEMCPY,      [TP_RANGE_WAIT] = TP_CATEGORY_RUNTIME,
        [TP_RANGE_SYNC] = TP_CATEGORY_RUNTIME};
    if (!(model->marks[e->name] & TP_MARK_STEP))
        add_event_time(model, intervals, categories[tp_event_range_kind(model, e)], e);
}

/* Returns true if the time of the category equals the compute time of the only device, so that both can share one
 * array. */
static bool is_kernel_set_of_only_gpu(const struct tp_model *model, enum tp_time_category category)
{
    return category == TP_CATEGORY_KERNEL && model->gpu_count == 1;
}

static void add_device_times(struct tp_model *model, struct tp_vec *intervals)
{
    struct tp_vec busy = TP_VEC(model->arena, struct tp_interval);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        enum tp_time_category category = e->kind == TP_KIND_MEMCPY       ? TP_CATEGORY_MEMCPY
                                         : e->kind == TP_KIND_MEMSET     ? TP_CATEGORY_MEMSET
                                         : tp_is_communication(model, k) ? TP_CATEGORY_COMMUNICATION
                                                                         : TP_CATEGORY_KERNEL;
        model->has_category[category] = true;
        if (!is_kernel_set_of_only_gpu(model, category))
            tp_intervals_push(&intervals[category], e->ts_ns, tp_event_end(e));
        if (model->gpu_count > 1)
            tp_intervals_push(&busy, e->ts_ns, tp_event_end(e));
    }
    model->device_busy = model->gpu_count == 1 ? model->gpus[0].busy : tp_intervals_from_vec(&busy);
}

void tp_model_find_categories(struct tp_model *model)
{
    struct tp_vec intervals[TP_CATEGORY_COUNT];
    for (unsigned r = 0; r < TP_CATEGORY_COUNT; r++)
        intervals[r] = TP_VEC(model->arena, struct tp_interval);
    add_device_times(model, intervals);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (e->kind == TP_KIND_RUNTIME)
            add_event_time(model, intervals, TP_CATEGORY_RUNTIME, e);
        else if (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION)
            add_host_time(model, intervals, e);
    }
    for (unsigned r = 0; r < TP_CATEGORY_COUNT; r++)
        model->category_times[r] =
            is_kernel_set_of_only_gpu(model, r) ? model->gpus[0].compute : tp_intervals_from_vec(&intervals[r]);
}
