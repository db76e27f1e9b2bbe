/* The least work of a call of an operator: floating point operations of matrix work, and bytes (docs/definitions.md,
 * section 19). It is computed only from the name and from the shapes and types of the arguments. Pure functions for any
 * thread.
 *
 * Operations: a multiplication and an addition count as two; only products, convolutions and attention have operations.
 * Bytes: each tensor is read once and each result written once, which is a lower bound. Nothing is guessed: a call
 * without the necessary numbers in the trace has no cost. The columns of `table --top` use the formulas of another tool
 * (operator_cost.h). */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_H
#define TP_WEBREPORT_MEASURE_WORK_COST_H

#include "webreport/measure/work/operator_cost.h"

/* Types of numbers with different peaks on devices. */
enum tp_number_type {
    TP_NUMBER_OTHER,
    TP_NUMBER_FP64,
    TP_NUMBER_FP32,
    TP_NUMBER_FP16,
    TP_NUMBER_BF16,
    TP_NUMBER_FP8,
    TP_NUMBER_FP4,
    TP_NUMBER_INT8,
    TP_NUMBER_TYPES
};

/* Returns the name of a type, such as "fp32" or "bf16", or "other". Static. */
const char *tp_number_type_text(enum tp_number_type type);

struct tp_cost {
    int64_t flops;       /* operations as torch counts them: attention without regard to its mask */
    int64_t exact_flops; /* flops without the part that a causal mask omits */
    int64_t bytes;
    int64_t weight_bytes; /* part of `bytes`: the second operand of a product, if it is a single matrix; otherwise 0 */
    enum tp_number_type type;
};

/* Shapes that a convolution does not record itself. A hint may leave any of them unknown. */
struct tp_cost_hint {
    struct tp_shape out; /* for a forward operator: its result, known from the gradient in its backward operator */
    struct tp_shape weight, input; /* for a part of a backward operator: known from the backward operator around it */
};

/* Returns whether the call has a tensor with a shape but a missing or unknown type. Such a call has no cost. */
bool tp_cost_lacks_types(const struct tp_op_call *call);

/* Computes the cost of a call. Returns false if the call has none. name: name of the operator, with "aten::". hint: may
 * be NULL. */
bool tp_cost_of(struct tp_cost *cost, struct tp_str name, const struct tp_op_call *call,
                const struct tp_cost_hint *hint);

/* Returns whether all patterns of names are valid. Used by tests. */
bool tp_cost_rules_are_valid(void);

#endif
