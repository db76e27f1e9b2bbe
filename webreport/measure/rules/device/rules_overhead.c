/* Finds the cost of recording on the host of a program with a device: the time in which the device waits because the
 * host is recording.
 *
 * Frames and operators of the main thread are assumed to cost the same as in programs without a device (thresholds
 * frame_ns, operator_ns and shapes_ns of rule H6). The costs are lower bounds, because recording also slows calls of
 * the runtime. Findings keep their recorded time. The gain of a fix is reduced by the share of this time that is cost
 * of recording. */
#include "webreport/measure/rules/rules_eval.h"

struct cost {
    int64_t ts_ns, sum_ns; /* ts_ns: start of an event; sum_ns: total cost of recording of all earlier events, ns */
};

struct overhead {
    struct tp_advisor *a;
    /* costs of the main thread's events that start while a device waits for the host, in order of time; elements:
     * struct cost */
    struct tp_vec costs;
    int64_t sum_ns, frames, operators;
};

static int64_t event_cost_ns(const struct tp_advisor *a, const struct tp_event *e)
{
    const struct tp_trace *trace = a->model->trace;
    if (tp_kind_is_frame(e->kind))
        return (int64_t)tp_rule_value(a, TP_RULE_H6, "frame_ns");
    bool has_shapes = tp_strings_get(&trace->values, trace->hosts[e->detail].dims).len > 0;
    return (int64_t)(tp_rule_value(a, TP_RULE_H6, "operator_ns") +
                     (has_shapes ? tp_rule_value(a, TP_RULE_H6, "shapes_ns") : 0));
}

static void list_costs(struct overhead *o)
{
    const struct tp_model *model = o->a->model;
    const struct tp_order *order = model->order;
    size_t near = 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        bool is_frame = tp_kind_is_frame(e->kind);
        if ((!is_frame && e->kind != TP_KIND_OPERATOR) || !tp_intervals_contain_near(model->starved, e->ts_ns, &near))
            continue;
        *(struct cost *)tp_vec_push(&o->costs) = (struct cost){e->ts_ns, o->sum_ns};
        o->sum_ns = tp_sat_add(o->sum_ns, event_cost_ns(o->a, e));
        o->frames += is_frame;
        o->operators += !is_frame;
    }
}

/* Returns the total cost of recording before a time, ns. */
static int64_t cost_before_ns(const struct overhead *o, int64_t ts_ns)
{
    size_t low = 0, high = o->costs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (TP_AT(&o->costs, struct cost, middle)->ts_ns < ts_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->costs.count ? TP_AT(&o->costs, struct cost, low)->sum_ns : o->sum_ns;
}

/* Returns the part of a set of times that is cost of recording, from 0 to 1. */
static double share_of_recording_cost(const struct overhead *o, struct tp_intervals set)
{
    int64_t ns = 0;
    for (size_t i = 0; i < set.count; i++)
        ns = tp_sat_add(ns, cost_before_ns(o, set.items[i].b) - cost_before_ns(o, set.items[i].a));
    return fmin(1, tp_percent(ns, tp_intervals_length(set)) / 100);
}

void tp_findings_subtract_recording(struct tp_advisor *a)
{
    struct overhead o = {.a = a, .costs = TP_VEC(a->arena, struct cost)};
    int64_t starved_ns = tp_intervals_length(a->model->starved);
    if (a->model->host_main == TP_NO_ID || !starved_ns)
        return;
    list_costs(&o);
    a->overhead = (struct tp_overhead){.cost_ns = tp_ns_min(o.sum_ns, starved_ns),
                                       .starved_ns = starved_ns,
                                       .frames = o.frames,
                                       .operators = o.operators};
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        if (isnan(f->ceiling_us_per_step) || !f->rule->is_slowed_by_recording)
            continue;
        double left = 1 - share_of_recording_cost(&o, *TP_AT(&a->times, struct tp_intervals, f->time));
        f->low_part *= left;
        f->high_part *= left;
    }
    tp_arena_free_item(a->arena, o.costs.data, o.costs.capacity * sizeof(struct cost));
}
