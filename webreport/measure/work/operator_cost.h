/* What a call of an operator computes and moves, from the shapes and types of its arguments.
 *
 * For the families below only; nothing is guessed for others. Floating point operations: a multiplication and an
 * addition are two. N: elements of the output.
 *   matrix products: 2 x rows x inner x columns x batch (mm, bmm, addmm, baddbmm, matmul, linear, mv, addmv, dot)
 *   convolutions: 2 x N x kernel elements x input channels per group; of convolution_backward twice the forward's, once
 *     for each of input and weight
 *   attention: 2 x batch x heads x queries x keys x (head size + value size); backward 2.5 times that. Masks count as
 *     if there were none
 *   element-wise: N (copies and the like: 0)
 *   normalisation, elements of the input: softmax 5, RMS 4, layer, group and batch norm 8
 *   embedding: 0
 * torch's with_flops (model/flops.h) is equal for the products and conv2d; its mul and add count the first
 * argument, without broadcasting. Bytes: every tensor argument read once, the output written once; what caches, masks
 * and temporary storage do is not in them. Of an embedding, only the rows read. */
#ifndef TP_WEBREPORT_MEASURE_WORK_OPERATOR_COST_H
#define TP_WEBREPORT_MEASURE_WORK_OPERATOR_COST_H

#include "webreport/model/operator_shapes.h"

struct tp_op_cost {
    int64_t flops, bytes; /* bytes: TP_NULL_INT when a type is unknown */
    struct tp_shape out;  /* is_known: the output is one tensor with this shape */
};

struct tp_op_rule;

/* Returns the rule for an operator of this name, or NULL. */
const struct tp_op_rule *tp_op_rule_of(struct tp_str name);
/* Returns the name of the rule's family ("matmul", "convolution", "attention", "element-wise", "normalisation",
 * "embedding"). */
const char *tp_op_rule_family(const struct tp_op_rule *rule);

/* The arguments of a call as compact JSON, empty if absent: "Input Dims", "Input type", "Concrete Inputs". */
struct tp_op_call {
    struct tp_str dims, types, concrete;
};

/* Computes the cost of a call. Returns false if shapes are missing or impossible. */
bool tp_op_cost(struct tp_op_cost *cost, const struct tp_op_rule *rule, const struct tp_op_call *call);

#endif
