/* Computes the host time of activities: see main_thread.h. */
#include "webreport/model/main_thread.h"

struct tp_intervals tp_main_thread_ranges(const struct tp_model *model, unsigned kinds, struct tp_arena *arena)
{
    const struct tp_order *order = model->order;
    struct tp_vec intervals = TP_VEC(arena, struct tp_interval);
    bool may_be = tp_has_declared_kind(model, kinds) ||
                  (kinds & TP_RANGE_BIT(INPUT) && tp_any_name_has_marks(model, TP_MARK_LOADER));
    if (model->host_main == TP_NO_ID || !may_be)
        return (struct tp_intervals){NULL, 0};
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->kind == TP_KIND_ANNOTATION && kinds >> tp_event_range_kind(model, e) & 1)
            tp_intervals_push(&intervals, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_intersection(arena, tp_intervals_from_vec(&intervals), model->window);
}

struct tp_intervals tp_main_thread_loading(const struct tp_model *model, struct tp_arena *arena)
{
    return tp_main_thread_ranges(model, TP_RANGE_BIT(INPUT), arena);
}

/* Returns true if an event is work. A range with a declared kind is always work on the main thread. On other
 * threads, its kind must be compute or communication. */
static bool is_work(const struct tp_model *model, const struct tp_event *e)
{
    enum tp_range_kind declared = tp_event_declared_kind(e);
    if (e->thread == model->host_main)
        return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_RUNTIME || declared;
    return e->kind == TP_KIND_OPERATOR || declared == TP_RANGE_COMPUTE || tp_is_collective(model, e);
}

struct tp_intervals tp_main_thread_unrecorded(const struct tp_model *model, struct tp_intervals loading,
                                              struct tp_arena *arena)
{
    struct tp_vec intervals = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (is_work(model, e))
            tp_intervals_push(&intervals, e->ts_ns, tp_event_end(e));
    }
    tp_intervals_append(&intervals, loading);
    return tp_intervals_difference(arena, model->window, tp_intervals_from_vec(&intervals));
}

struct tp_intervals tp_computing_times(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec compute = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (tp_is_computing(model, e))
            tp_intervals_push(&compute, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_from_vec(&compute);
}

struct tp_intervals tp_exposed_collectives(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec collectives = TP_VEC(arena, struct tp_interval);
    if (!tp_any_name_has_marks(model, TP_MARK_COLLECTIVE) && !tp_has_declared_kind(model, TP_RANGE_BIT(COMMUNICATION)))
        return (struct tp_intervals){NULL, 0};
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (tp_is_collective(model, e))
            tp_intervals_push(&collectives, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_difference(arena, tp_intervals_from_vec(&collectives), tp_computing_times(model, arena));
}
