/* Parts of programs without a device that update the tensors of a model one by one (rule H3). */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_UPDATES_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_UPDATES_H

#include "webreport/measure/rules/host/rules_cpu.h"

/* A step of an optimizer, or code of the project that updates tensors. The optimizer's own time is the part after the
 * closure, from the first to the last operator of the step. */
struct tp_cpu_update {
    uint32_t event; /* evidence: range of the step, or first operator of the code */
    struct tp_interval own;
    uint32_t first, end; /* the operators in the optimizer's own time are cpu->ops[first] to cpu->ops[end - 1] */
};

/* Operators that contain no other operator, in the optimizer's own time of all steps. calls: number of these operators;
 * names: number of different operator names; tensors: approximate number of tensors, which is the lower median of the
 * number of calls of each name. */
struct tp_cpu_leaves {
    int64_t calls, names, tensors;
};

/* Counts the operators without children in `count` updates. */
struct tp_cpu_leaves tp_cpu_count_leaves(struct tp_advisor *a, const struct tp_cpu_update *updates, size_t count);

/* Returns whether an event is a frame of torch's optimizers. */
bool tp_is_optimizer_frame(const struct tp_model *model, uint32_t event);

/* Finds the updates that code of the project makes tensor by tensor, without torch's optimizers. least_calls: least
 * number of operators without children in an update. Elements of the result: struct tp_cpu_update. */
struct tp_vec tp_cpu_find_updates_by_hand(struct tp_advisor *a, double least_calls);

#endif
