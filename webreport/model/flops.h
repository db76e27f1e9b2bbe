/* Floating point operations of an operator call, by torch's formulas (torch/csrc/profiler/util.cpp, computeFlops):
 * aten::conv2d, mm, addmm, bmm, baddbmm, mul, add; 0 for everything else. From shapes alone, so they are there whether
 * or not with_flops was on. */
#ifndef TP_WEBREPORT_MODEL_FLOPS_H
#define TP_WEBREPORT_MODEL_FLOPS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/keys.h"

/* name: of the operator; dims, concrete: "Input Dims" and "Concrete Inputs" as compact JSON, empty when absent. */
int64_t tp_flops_of(struct tp_str name, struct tp_str dims, struct tp_str concrete);

/* Concrete inputs of an operator by its index in hosts: id in values; TP_NO_ID when the trace did not keep them. */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host);

/* The formulas of a trace, each computed once for calls that are alike. */
struct tp_flops {
    bool *has_flops;       /* by name id */
    struct tp_keys calls;  /* (name, dims, concrete inputs) .. */
    struct tp_vec of_call; /* .. and their int64_t operations */
};

/* In `arena` (guard set by the caller). */
void tp_flops_init(struct tp_flops *flops, const struct tp_trace *trace, struct tp_arena *arena);
/* Of an item of torch's list. */
int64_t tp_flops_of_item(struct tp_flops *flops, const struct tp_torch *torch, uint32_t item);

#endif
