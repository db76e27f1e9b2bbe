/* Counts the floating point operations of an operator call by torch's formulas (torch/csrc/profiler/util.cpp,
 * computeFlops). Supports aten::conv2d, mm, addmm, bmm, baddbmm, mul and add; all other operators have 0. The formulas
 * need only shapes, so the numbers do not depend on the option with_flops. */
#ifndef TP_WEBREPORT_MODEL_FLOPS_H
#define TP_WEBREPORT_MODEL_FLOPS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/keys.h"

/* Returns the floating point operations of a call. name: operator. dims, concrete: "Input Dims" and "Concrete Inputs"
 * as compact JSON, empty if absent. */
int64_t tp_flops_of(struct tp_str name, struct tp_str dims, struct tp_str concrete);

/* Returns the id (in values) of the concrete inputs of an operator, or TP_NO_ID. host: index in hosts. */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host);

/* Floating point operations of each call. Equal calls are computed once. */
struct tp_flops {
    bool *has_flops;       /* by name id: whether the operator has a formula */
    struct tp_keys calls;  /* distinct keys (name, dims, concrete inputs) */
    struct tp_vec of_call; /* floating point operations as int64_t, by key of `calls` */
};

/* Initializes *flops. Allocates from `arena`, whose guard must be set. */
void tp_flops_init(struct tp_flops *flops, const struct tp_trace *trace, struct tp_arena *arena);
/* Returns the floating point operations of item `item` of torch's list. */
int64_t tp_flops_of_item(struct tp_flops *flops, const struct tp_torch *torch, uint32_t item);

#endif
