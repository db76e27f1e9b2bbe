/* The least work of a call of an operator: floating point operations of matrix work, and bytes (docs/definitions.md,
 * section 19). Computed only from its name and the shapes and types of its arguments; pure functions, any thread.
 *
 * Operations: a multiplication and an addition are two; only products, convolutions and attention have any. Bytes: each
 * tensor is read once and each result written once, a lower bound. Nothing is guessed: a call whose numbers are not in
 * the trace has no cost. The columns of `table --top` use the formulas of another tool (operator_cost.h). */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_H
#define TP_WEBREPORT_MEASURE_WORK_COST_H

#include "webreport/measure/work/operator_cost.h"

/* Types of numbers that peaks of devices distinguish. */
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

/* Returns "fp32", "bf16" and so on, or "other". Static. */
const char *tp_number_type_text(enum tp_number_type type);

struct tp_cost {
    int64_t flops;       /* as torch counts: attention counts without its mask */
    int64_t exact_flops; /* without the part that a causal mask leaves out */
    int64_t bytes;
    int64_t weight_bytes; /* part of bytes: the second operand of a product if it is a single matrix; else 0 */
    enum tp_number_type type;
};

/* Shapes that a convolution does not record itself; a shape that is not known stays unknown. */
struct tp_cost_hint {
    struct tp_shape out;           /* for a forward: its result, from the gradient in its backward */
    struct tp_shape weight, input; /* for a part of a backward: from the backward operator around it */
};

/* Returns whether the call has a shape of a tensor whose type is missing or unknown. Such a call has no cost. */
bool tp_cost_lacks_types(const struct tp_op_call *call);

/* Computes the cost of a call. Returns false if it has none. name: of the operator, with "aten::". hint: may be
 * NULL. */
bool tp_cost_of(struct tp_cost *cost, struct tp_str name, const struct tp_op_call *call,
                const struct tp_cost_hint *hint);

/* Returns whether all patterns of names are valid. For tests. */
bool tp_cost_rules_are_whole(void);

#endif
