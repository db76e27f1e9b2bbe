/* Floating point operations of an operator call, by torch's formulas (torch/csrc/profiler/util.cpp, computeFlops):
 * aten::conv2d, mm, addmm, bmm, baddbmm, mul, add; 0 for everything else. From shapes alone, so they are there whether
 * or not with_flops was on. */
#ifndef TP_WEBREPORT_MODEL_FLOPS_H
#define TP_WEBREPORT_MODEL_FLOPS_H

#include "webreport/model/policy_torch.h"

/* name: of the operator; dims, concrete: "Input Dims" and "Concrete Inputs" as compact JSON, empty when absent. */
int64_t tp_flops_of(struct tp_str name, struct tp_str dims, struct tp_str concrete);

/* Concrete inputs of an operator by its index in hosts: id in values; TP_NO_ID when the trace did not keep them. */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host);

/* By function, in `arena` (guard set by the caller). */
int64_t *tp_functions_flops(const struct tp_functions *functions, struct tp_arena *arena);

#endif
