/* The operations and bytes of a call of an operator, from the shapes and types of its arguments.
 *
 * Only the families below have a cost. Floating point operations: a multiplication and an addition count as two. N is
 * the number of elements of the output.
 *   matrix products: 2 x rows x inner x columns x batch (mm, bmm, addmm, baddbmm, matmul, linear, mv, addmv, dot)
 *   convolutions: 2 x N x kernel elements x input channels per group; convolution_backward counts twice the forward,
 *     once each for input and weight
 *   attention: 2 x batch x heads x queries x keys x (head size + value size), without regard to masks; backward 2.5
 *     times that
 *   element-wise: N; copies and similar operators 0
 *   normalisation, by elements of the input: softmax 5, RMS 4, layer, group and batch norm 8
 *   embedding: 0
 *
 * torch's with_flops (model/flops.h) has equal numbers for the products and conv2d. For mul and add it counts the first
 * argument, without broadcasting.
 *
 * Bytes: every tensor argument is read once and the output written once, without caches, masks and temporary storage.
 * An embedding reads only the rows that are looked up. */
#ifndef TP_WEBREPORT_MEASURE_WORK_OPERATOR_COST_H
#define TP_WEBREPORT_MEASURE_WORK_OPERATOR_COST_H

#include "webreport/model/operator_shapes.h"

struct tp_op_cost {
    int64_t flops, bytes; /* bytes: TP_NULL_INT if the type of an argument is unknown */
    struct tp_shape out;  /* shape of the output; out.is_known is false if the output is not a single tensor */
};

struct tp_op_rule;

/* Returns the rule for the operator with this name, or NULL. */
const struct tp_op_rule *tp_op_rule_by_name(struct tp_str name);
/* Returns the family of a rule: "matmul", "convolution", "attention", "element-wise", "normalisation" or
 * "embedding". */
const char *tp_op_rule_family(const struct tp_op_rule *rule);

/* The arguments of a call as compact JSON: "Input Dims", "Input type" and "Concrete Inputs". A text is empty if the
 * trace lacks it. */
struct tp_op_call {
    struct tp_str dims, types, concrete;
};

/* Computes the cost of a call. Returns false if shapes are missing or do not match. */
bool tp_op_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call);

#endif
