/* Calls that wait for the device, and what each wait costs at most (section 9). */
#include "webreport/model/build.h"
#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

/* Latest end among the first k + 1 operations of each device, by place in gpu->events. */
static int64_t **running_ends(const struct tp_model *model)
{
    int64_t **ends = tp_arena_array(model->arena, model->gpu_count, sizeof *ends);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        const struct tp_gpu *gpu = &model->gpus[g];
        ends[g] = tp_arena_array(model->arena, gpu->count, sizeof **ends);
        for (uint32_t i = 0; i < gpu->count; i++) {
            int64_t end = tp_event_end(tp_device_event(model, gpu->events[i]));
            ends[g][i] = i ? tp_ns_max(ends[g][i - 1], end) : end;
        }
    }
    return ends;
}

/* Place of the first operation of the device that starts at or after `at`. */
static uint32_t first_from(const struct tp_model *model, const struct tp_gpu *gpu, int64_t at)
{
    uint32_t lo = 0, hi = gpu->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_device_event(model, gpu->events[mid])->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The bubble runs from the end of the call, or of the work that still ran, to the next operation; it costs no more than
 * the call took. */
static struct tp_wait wait_of(const struct tp_model *model, uint32_t launch, uint32_t gpu, int64_t *const *ends)
{
    const struct tp_event *call = tp_launch_event(model, launch);
    int64_t end = tp_event_end(call);
    struct tp_wait wait = {.launch = launch, .gpu = gpu, .at_ns = end};
    if (gpu == TP_NO_ID)
        return wait;
    uint32_t next = first_from(model, &model->gpus[gpu], end);
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
        uint32_t launch = TP_AT(found, struct tp_wait, i)->launch;
        keys[i] = (struct tp_keyed){tp_launch_event(model, launch)->ts_ns, model->launches.event[launch], i};
    }
    tp_sort_keyed(keys, model->wait_count, model->arena);
    for (uint32_t i = 0; i < model->wait_count; i++)
        model->waits[i] = *TP_AT(found, struct tp_wait, keys[i].item);
}

void tp_model_find_waits(struct tp_model *model)
{
    struct tp_vec found = TP_VEC(model->arena, struct tp_wait);
    int64_t **ends = running_ends(model);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t gpu = model->main_gpu; /* of the latest launch on this thread */
        for (uint32_t i = model->launches.thread_first[t]; i < model->launches.thread_first[t + 1]; i++) {
            uint64_t marks = model->marks[tp_launch_event(model, i)->name];
            if (model->launches.first_device[i] != TP_NO_ID)
                gpu = model->devices.gpu[model->launches.first_device[i]];
            if (!(marks & (TP_MARK_SYNC | TP_MARK_BLOCKING_COPY)))
                continue;
            struct tp_wait wait = wait_of(model, i, gpu, ends);
            wait.is_copy = !(marks & TP_MARK_SYNC);
            *(struct tp_wait *)tp_vec_push(&found) = wait;
        }
    }
    sort_waits(model, &found);
}
