/* Computes the backward time of module calls (docs/definitions.md, section 11, D5): the time of the autograd nodes
 * whose forward operator is in the module. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_MODULE_BACKWARD_H
#define TP_WEBREPORT_MEASURE_VIEWS_MODULE_BACKWARD_H

#include "webreport/model/facts.h"

struct tp_backward_sum {
    int64_t calls, host_ns, device_ns;
};

/* Sums the time of autograd nodes by module call. sums: one zeroed item per module call of the model. */
void tp_module_backward_build(struct tp_backward_sum *sums, const struct tp_model *model, struct tp_arena *arena);

#endif
