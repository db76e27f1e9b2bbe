/* Times of host threads: see main_thread.h. */
#include "webreport/model/main_thread.h"

struct tp_intervals tp_main_loading(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_order *order = model->order;
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    if (model->host_main == TP_NO_ID || !tp_any_name_is(model, TP_MARK_LOADER))
        return (struct tp_intervals){NULL, 0};
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->kind == TP_KIND_ANNOTATION && model->marks[e->name] & TP_MARK_LOADER)
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_meet(arena, tp_intervals_of(&pieces), model->window);
}

static bool is_work(const struct tp_model *model, const struct tp_event *e)
{
    if (e->thread == model->host_main)
        return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_RUNTIME;
    return e->kind == TP_KIND_OPERATOR || tp_is_collective(model, e);
}

struct tp_intervals tp_main_between(const struct tp_model *model, struct tp_intervals loading, struct tp_arena *arena)
{
    struct tp_vec pieces = TP_VEC(arena, struct tp_interval);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (is_work(model, e))
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    tp_intervals_append(&pieces, loading);
    return tp_intervals_minus(arena, model->window, tp_intervals_of(&pieces));
}

struct tp_intervals tp_exposed_collectives(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec collectives = TP_VEC(arena, struct tp_interval), compute = collectives;
    if (!tp_any_name_is(model, TP_MARK_COLLECTIVE))
        return (struct tp_intervals){NULL, 0};
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (tp_is_collective(model, e))
            tp_intervals_push(&collectives, e->ts_ns, tp_event_end(e));
        if (e->kind == TP_KIND_OPERATOR && !(model->marks[e->name] & TP_MARK_HOST_COMM))
            tp_intervals_push(&compute, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_minus(arena, tp_intervals_of(&collectives), tp_intervals_of(&compute));
}
