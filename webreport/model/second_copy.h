/* Recognizes second copies of operators. With a TorchDispatchMode or a tensor subclass, the recorder records three
 * events: an operator, the Python code that receives the operator, and the same operator again when that code calls it.
 * Both operator events are one call of the program. */
#ifndef TP_WEBREPORT_MODEL_SECOND_COPY_H
#define TP_WEBREPORT_MODEL_SECOND_COPY_H

#include "webreport/model/facts.h"

/* Returns true if operator `event` is the second copy of operator `outer` (docs/definitions.md, section 4). Both must
 * have the same name and shapes, and `parent`, the event between them, must be the range of the receiving Python code.
 * All three are indexes in trace->events; `parent` and `outer` may be TP_NO_ID. */
static inline bool tp_is_second_copy_of_event(const struct tp_trace *trace, uint32_t event, uint32_t parent,
                                              uint32_t outer)
{
    if (parent == TP_NO_ID || outer == TP_NO_ID || trace->events[event].name != trace->events[outer].name)
        return false;
    struct tp_str name = tp_trace_event_name(trace, &trace->events[parent]);
    if (!tp_str_equal(name, TP_STR("PythonDispatchMode")) && !tp_str_equal(name, TP_STR("PythonSubclass")))
        return false;
    uint32_t x = trace->events[event].detail, y = trace->events[outer].detail;
    return (x == TP_NO_ID ? TP_NO_ID : trace->hosts[x].dims) == (y == TP_NO_ID ? TP_NO_ID : trace->hosts[y].dims);
}

/* Returns true if operator `op` is the second copy of the operator two levels above it in the model's tree. */
static inline bool tp_operator_is_second_copy(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    uint32_t parent = ops->parent[op], outer = parent == TP_NO_ID ? TP_NO_ID : ops->parent[parent];
    return outer != TP_NO_ID &&
           tp_is_second_copy_of_event(model->trace, ops->event[op], ops->event[parent], ops->event[outer]);
}

#endif
