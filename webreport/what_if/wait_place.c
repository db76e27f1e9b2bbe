/* Implements wait_place.h. */
#include "webreport/what_if/wait_place.h"

struct tp_str tp_change_place_of_wait(const struct tp_replay_graph *graph, uint32_t event)
{
    const struct tp_model *model = graph->model;
    struct tp_str line = tp_event_line(model, event);
    int64_t at = model->trace->events[event].ts_ns;
    uint32_t outermost = TP_NO_ID;
    if (line.len)
        return line;
    for (uint32_t i = tp_find_next_event_around(model, event, at); i != TP_NO_ID;
         i = tp_find_next_event_around(model, i, at))
        if (model->trace->events[i].kind == TP_KIND_OPERATOR && !(model->trace->events[i].flags & TP_EVENT_UNFINISHED))
            outermost = i;
    return outermost == TP_NO_ID ? TP_STR("") : tp_trace_event_name(model->trace, &model->trace->events[outermost]);
}
