/* Floating point operations of an operator call, by torch's formulas (torch/csrc/profiler/util.cpp, computeFlops):
 * aten::conv2d, mm, addmm, bmm, baddbmm, mul, add; 0 for all other operators. The formulas need shapes only, so the
 * numbers do not depend on with_flops. */
#ifndef TP_WEBREPORT_MODEL_FLOPS_H
#define TP_WEBREPORT_MODEL_FLOPS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/keys.h"

/* Returns the operations of a call. name: of the operator. dims, concrete: "Input Dims" and "Concrete Inputs" as
 * compact JSON, empty if absent. */
int64_t tp_flops_of(struct tp_str name, struct tp_str dims, struct tp_str concrete);

/* Returns the id (in values) of the concrete inputs of an operator, or TP_NO_ID. host: its index in hosts. */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host);

/* Operations by call; equal calls are computed once. */
struct tp_flops {
    bool *has_flops;       /* by name id */
    struct tp_keys calls;  /* distinct (name, dims, concrete inputs) */
    struct tp_vec of_call; /* int64_t: operations by key of `calls` */
};

/* Allocates from `arena` (guard set by the caller). */
void tp_flops_init(struct tp_flops *flops, const struct tp_trace *trace, struct tp_arena *arena);
/* Returns the operations of an item of torch's list. */
int64_t tp_flops_of_item(struct tp_flops *flops, const struct tp_torch *torch, uint32_t item);

#endif
