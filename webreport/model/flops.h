/* Computes the number of floating point operations of an operator call with the formulas of torch (computeFlops in
 * torch/csrc/profiler/util.cpp). Supports aten::conv2d, mm, addmm, bmm, baddbmm, mul and add; the result for other
 * operators is 0. The formulas need only shapes, so the recording option with_flops is not necessary. */
#ifndef TP_WEBREPORT_MODEL_FLOPS_H
#define TP_WEBREPORT_MODEL_FLOPS_H

#include "webreport/model/policy_torch.h"
#include "writer/base/keys.h"

/* Returns the number of floating point operations of a call. name: name of the operator. dims, concrete: "Input Dims"
 * and "Concrete Inputs" of the call as compact JSON, empty if absent. */
int64_t tp_flops_of_operator(struct tp_str name, struct tp_str dims, struct tp_str concrete);

/* Returns the "Concrete Inputs" of an operator as an id in values; TP_NO_ID if absent. host: index in hosts. */
uint32_t tp_concrete_inputs(const struct tp_trace *trace, uint32_t host);

/* Counts of floating point operations of distinct calls. Equal calls are computed only once. */
struct tp_flops {
    bool *has_flops;       /* for each name id: true if there is a formula for the operator */
    struct tp_keys calls;  /* distinct calls; a key is (name, dims, concrete inputs) */
    struct tp_vec of_call; /* for each key of `calls`: number of floating point operations; elements: int64_t */
};

/* Initializes *flops. Allocates from `arena`, whose guard must be set. */
void tp_flops_init(struct tp_flops *flops, const struct tp_trace *trace, struct tp_arena *arena);
/* Returns the number of floating point operations of an item in torch's list of events. */
int64_t tp_flops_of_item(struct tp_flops *flops, const struct tp_torch *torch, uint32_t item);

#endif
