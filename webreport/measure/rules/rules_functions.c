/* Implements rules_functions.h: finds functions that spend most of their time in events of a rule. */
#include "webreport/measure/rules/rules_functions.h"

struct counted_call {
    uint32_t event; /* index of the event that is the call of the function */
    enum tp_rule_id rule;
    bool has_cause;
    int64_t ns; /* total duration of the rule's events in the call, ns */
};

void tp_busy_functions_init(struct tp_busy_functions *functions, struct tp_advisor *advisor)
{
    functions->advisor = advisor;
    tp_id_map_init(&functions->calls, advisor->arena);
    functions->calls_already_counted = TP_VEC(advisor->arena, struct counted_call);
}

uint32_t tp_enclosing_project_call(const struct tp_model *model, uint32_t event)
{
    uint32_t frame = model->inside[event];
    while (frame != TP_NO_ID && !tp_event_is_line(model->trace, &model->trace->events[frame]))
        frame = model->inside[frame];
    return frame;
}

void tp_busy_functions_add(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause,
                           int64_t ns)
{
    const struct tp_model *model = functions->advisor->model;
    uint32_t call = tp_enclosing_project_call(model, event);
    if (call == TP_NO_ID)
        return;
    uint32_t *at = tp_id_map_find_or_add(&functions->calls, tp_id_pair((uint32_t)rule, call));
    if (*at == TP_NO_ID) {
        *at = (uint32_t)functions->calls_already_counted.count;
        *(struct counted_call *)tp_vec_push(&functions->calls_already_counted) =
            (struct counted_call){call, rule, false, 0};
    }
    struct counted_call *counted_call = TP_AT(&functions->calls_already_counted, struct counted_call, *at);
    counted_call->has_cause |= is_cause;
    counted_call->ns = tp_sat_add(counted_call->ns, ns);
}

void tp_busy_functions_count(struct tp_busy_functions *functions, enum tp_rule_id rule, uint32_t event, bool is_cause)
{
    tp_busy_functions_add(functions, rule, event, is_cause, functions->advisor->model->trace->events[event].dur_ns);
}

void tp_busy_functions_find_times(const struct tp_busy_functions *functions, enum tp_rule_id rule,
                                  struct tp_vec *intervals)
{
    for (size_t i = 0; i < functions->calls_already_counted.count; i++) {
        const struct counted_call *counted_call = TP_AT(&functions->calls_already_counted, struct counted_call, i);
        const struct tp_event *e = &functions->advisor->model->trace->events[counted_call->event];
        if (counted_call->rule == rule && counted_call->has_cause && counted_call->ns > e->dur_ns / 2)
            tp_intervals_push(intervals, e->ts_ns, tp_event_end(e));
    }
}
