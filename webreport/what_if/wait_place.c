/* Implements wait_place.h. */
#include "webreport/what_if/wait_place.h"

/* Returns the innermost operator around a call; TP_NO_ID: none. */
static uint32_t operator_of_call(const struct tp_model *model, uint32_t event)
{
    const struct tp_launches *launches = &model->launches;
    const struct tp_event *call = &model->trace->events[event];
    uint32_t lo = launches->thread_first[call->thread], end = launches->thread_first[call->thread + 1], hi = end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_launch_event(model, mid)->ts_ns < call->ts_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < end && launches->event[lo] != event)
        lo++;
    return lo < end ? launches->op[lo] : TP_NO_ID;
}

struct tp_str tp_change_place_of_wait(const struct tp_replay_graph *graph, uint32_t event)
{
    const struct tp_model *model = graph->model;
    struct tp_str line = tp_event_line(model, event);
    uint32_t op = line.len ? TP_NO_ID : operator_of_call(model, event);
    while (op != TP_NO_ID && model->operators.parent[op] != TP_NO_ID)
        op = model->operators.parent[op];
    return op == TP_NO_ID ? line : tp_trace_event_name(model->trace, tp_operator_event(model, op));
}
