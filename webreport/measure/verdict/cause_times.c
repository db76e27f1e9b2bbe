/* Finds the times of each cause on a device. See cause_times.h. */
#include "webreport/measure/verdict/cause_times.h"

#include "webreport/model/device_rows.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/numbers.h"

/* Returns the times in which the device was possibly idle because the host had waited for the device. */
static struct tp_intervals find_waiting_times(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < model->wait_count; i++)
        tp_intervals_push(&pieces, model->waits[i].at_ns, tp_sat_add(model->waits[i].at_ns, model->waits[i].cost_ns));
    return tp_intervals_from_vec(&pieces);
}

/* Returns the union of the device's ranges with a declared kind in `kinds`. kinds: bit k for enum value k. */
static struct tp_intervals find_ranges_on_device_lanes(const struct tp_model *model, const struct tp_gpu *gpu,
                                                       unsigned kinds, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < trace->event_count && tp_has_declared_kind(model, kinds); i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind == TP_KIND_GPU_ANNOTATION && kinds >> tp_event_declared_kind(e) & 1 &&
            tp_device_id_of_event(model, e) == gpu->id)
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_from_vec(&pieces);
}

static struct tp_intervals idle_intervals_of_part(const struct tp_gpu *gpu, enum tp_idle_part part,
                                                  struct tp_arena *arena)
{
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < gpu->idle_count; i++)
        if (gpu->idle[i].part == part)
            tp_intervals_push(&pieces, gpu->idle[i].a, gpu->idle[i].b);
    return tp_intervals_from_vec(&pieces);
}

/* Finds the causes for a device that the program itself registered. No recorded call launches work on this device.
 * Only the ranges on its lanes and on the main thread show why the device is idle. */
static void find_own_device_times(struct tp_cause_times *times, const struct tp_model *model, const struct tp_gpu *gpu,
                                  struct tp_arena *arena)
{
    const unsigned inputs = TP_RANGE_BIT(INPUT), waits = TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC);
    struct tp_vec said = TP_VEC(arena, struct tp_interval), waited = said, input = said, sync = said;
    tp_intervals_append(&said, tp_main_thread_ranges(model, inputs, arena));
    tp_intervals_append(&said, find_ranges_on_device_lanes(model, gpu, inputs, arena));
    tp_intervals_append(&waited, tp_main_thread_ranges(model, waits, arena));
    tp_intervals_append(&waited, find_ranges_on_device_lanes(model, gpu, waits, arena));
    struct tp_intervals loading = tp_intervals_from_vec(&said), waiting = tp_intervals_from_vec(&waited);
    tp_intervals_append(&input, times->of[TP_TIME_INPUT]);
    tp_intervals_append(&sync, times->of[TP_TIME_SYNC]);
    for (enum tp_time_cause cause = TP_TIME_OUTSIDE; cause <= TP_TIME_UNKNOWN; cause++) {
        struct tp_intervals idle = times->of[cause], rest;
        tp_intervals_append(&input, tp_intervals_intersection(arena, idle, loading));
        rest = tp_intervals_difference(arena, idle, loading);
        tp_intervals_append(&sync, tp_intervals_intersection(arena, rest, waiting));
        times->of[cause] = tp_intervals_difference(arena, rest, waiting);
    }
    times->of[TP_TIME_INPUT] = tp_intervals_from_vec(&input);
    times->of[TP_TIME_SYNC] = tp_intervals_from_vec(&sync);
}

/* Returns the times of a set outside of `other`. common: their intersection; if it is empty, returns the set itself,
 * because a copy can have as many intervals as the trace has gaps. */
static struct tp_intervals without(struct tp_intervals set, struct tp_intervals other, struct tp_intervals common,
                                   struct tp_arena *arena)
{
    return common.count ? tp_intervals_difference(arena, set, other) : set;
}

/* Returns whether a set has no time before, between and after the analysed steps. */
static bool is_inside_window(struct tp_intervals window, struct tp_intervals set)
{
    int64_t from = INT64_MIN;
    for (size_t i = 0; i < window.count; i++) {
        if (tp_intervals_length_within(set, from, window.items[i].a))
            return false;
        from = window.items[i].b;
    }
    return !tp_intervals_length_within(set, from, INT64_MAX);
}

/* Returns the part of a set within the analysed steps. Returns the set itself, without a copy, if all of it is. */
static struct tp_intervals part_in_window(const struct tp_model *model, struct tp_intervals set, struct tp_arena *arena)
{
    return is_inside_window(model->window, set) ? set : tp_intervals_intersection(arena, set, model->window);
}

int64_t tp_queue_ns(const struct tp_gpu *gpu)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < gpu->idle_count; i++)
        if (gpu->idle[i].part == TP_IDLE_QUEUE)
            ns = tp_sat_add(ns, tp_sat_sub(gpu->idle[i].b, gpu->idle[i].a));
    return ns;
}

struct tp_intervals tp_find_queue_times(const struct tp_gpu *gpu, struct tp_arena *arena)
{
    return idle_intervals_of_part(gpu, TP_IDLE_QUEUE, arena);
}

void tp_cause_times_find(struct tp_cause_times *times, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_arena *arena)
{
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < gpu->idle_count; i++)
        if (tp_idle_waits_for_host(&gpu->idle[i]))
            tp_intervals_push(&pieces, gpu->idle[i].a, gpu->idle[i].b);
    struct tp_intervals starved = tp_intervals_from_vec(&pieces), loading = tp_main_thread_loading(model, arena);
    struct tp_intervals waiting = find_waiting_times(model, arena), rest;
    times->of[TP_TIME_COMPUTE] = part_in_window(model, gpu->compute, arena);
    times->of[TP_TIME_COMMUNICATION] = part_in_window(model, gpu->exposed_communication, arena);
    times->of[TP_TIME_COPY] = part_in_window(model, gpu->exposed_copy, arena);
    times->of[TP_TIME_INPUT] = tp_intervals_intersection(arena, starved, loading);
    rest = without(starved, loading, times->of[TP_TIME_INPUT], arena);
    times->of[TP_TIME_SYNC] = tp_intervals_intersection(arena, rest, waiting);
    times->of[TP_TIME_LAUNCH] = without(rest, waiting, times->of[TP_TIME_SYNC], arena);
    times->of[TP_TIME_QUEUE] = (struct tp_intervals){NULL, 0};
    times->of[TP_TIME_OUTSIDE] = idle_intervals_of_part(gpu, TP_IDLE_OUTSIDE, arena);
    times->of[TP_TIME_UNKNOWN] = idle_intervals_of_part(gpu, TP_IDLE_UNKNOWN, arena);
    if (gpu->is_own)
        find_own_device_times(times, model, gpu, arena);
}
