/* Device events by device: groups in time order, busy intervals, and the properties the file gives (D13, D18). */
#include <assert.h>

#include "webreport/model/build.h"
#include "webreport/model/pieces.h"
#include "writer/base/renumber.h"
#include "writer/base/sort.h"

/* args.device, else the pid when it is a number, else -1 */
static int64_t device_number(const struct tp_model *model, const struct tp_event *e)
{
    int64_t number = model->trace->devices[e->detail].device;
    if (number != TP_NULL_INT)
        return number;
    const struct tp_row_id *pid = &model->trace->threads[e->thread].pid;
    return pid->is_text ? -1 : pid->number;
}

/* Gives every device event the rank of its device number; returns the numbers in ascending order. */
static int64_t *number_gpus(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    struct tp_vec numbers = TP_VEC(model->arena, struct tp_keyed);
    struct tp_ids ids;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (uint32_t k = 0; k < devices->count; k++) {
        int64_t number = device_number(model, tp_device_event(model, k));
        lowest = number < lowest ? number : lowest;
        highest = number > highest ? number : highest;
    }
    tp_ids_init(&ids, model->arena, lowest, highest, 1024);
    for (uint32_t k = 0; k < devices->count; k++) {
        int64_t number = device_number(model, tp_device_event(model, k));
        uint32_t id = devices->gpu[k] = tp_ids_add(&ids, number);
        if (id == numbers.count)
            *(struct tp_keyed *)tp_vec_push(&numbers) = (struct tp_keyed){number, 0, id};
    }
    struct tp_keyed *sorted = numbers.data;
    uint32_t count = ids.count, *rank = tp_arena_array(model->arena, count, sizeof *rank);
    int64_t *ascending = tp_arena_array(model->arena, count, sizeof *ascending);
    assert(sorted); /* there is a device event */
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

static void find_busy(struct tp_model *model, struct tp_gpu *gpu)
{
    struct tp_pieces busy, kernels;
    tp_pieces_init(&busy, model->arena);
    tp_pieces_init(&kernels, model->arena);
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        tp_pieces_add(&busy, e->ts_ns, tp_event_end(e));
        if (e->kind == TP_KIND_KERNEL)
            tp_pieces_add(&kernels, e->ts_ns, tp_event_end(e));
    }
    gpu->busy = tp_pieces_union(&busy);
    gpu->kernels = tp_pieces_union(&kernels);
}

void tp_model_group_gpus(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    if (!devices->count)
        return;
    devices->gpu = tp_arena_array(model->arena, devices->count, sizeof *devices->gpu);
    int64_t *numbers = number_gpus(model);
    uint32_t *items = tp_arena_array(model->arena, devices->count, sizeof *items);
    model->gpus = tp_arena_array(model->arena, model->gpu_count, sizeof *model->gpus);
    for (uint32_t k = 0; k < devices->count; k++)
        model->gpus[devices->gpu[k]].count++;
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        model->gpus[g].id = numbers[g];
        model->gpus[g].events = items;
        items += model->gpus[g].count;
        model->gpus[g].count = 0;
    }
    for (uint32_t k = 0; k < devices->count; k++) {
        struct tp_gpu *gpu = &model->gpus[devices->gpu[k]];
        gpu->events[gpu->count++] = k;
    }
    for (uint32_t g = 0; g < model->gpu_count; g++)
        find_busy(model, &model->gpus[g]);
}

const struct tp_gpu_property *tp_model_gpu_property(const struct tp_trace *trace, int64_t id)
{
    enum { MOST = 1024 }; /* no machine has more; a hostile list must not be searched for every device */
    uint32_t count = trace->gpu_count < MOST ? trace->gpu_count : MOST;
    bool has_ids = false;
    for (uint32_t i = 0; i < count; i++) {
        has_ids |= trace->gpus[i].has_id;
        if (trace->gpus[i].has_id && trace->gpus[i].id == id && id != TP_NULL_INT)
            return &trace->gpus[i];
    }
    return !has_ids && id >= 0 && id < count ? &trace->gpus[id] : NULL;
}
