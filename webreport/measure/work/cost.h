/* Computes the least work of an operator call: floating-point operations of matrix work, and bytes
 * (docs/definitions.md, section 19). The inputs are only the name and the shapes and types of the arguments. All
 * functions are pure and may run on any thread.
 *
 * A multiplication and an addition count as two operations. Only products, convolutions and attention have operations.
 * Each tensor is read once and each result written once, so the number of bytes is a lower bound. A call whose trace
 * lacks a necessary number has no cost; nothing is guessed. The columns of `table --top` use the formulas of
 * operator_cost.h instead. */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_H
#define TP_WEBREPORT_MEASURE_WORK_COST_H

#include "webreport/measure/work/operator_cost.h"

/* types of numbers; devices have a peak for each of them */
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

/* Returns the name of a type as text: "fp32", "bf16", .. or "other". Static. */
const char *tp_number_type_text(enum tp_number_type type);

struct tp_cost {
    int64_t flops;                /* number of operations as torch counts them, ignoring the mask of attention */
    int64_t flops_without_masked; /* number of operations without the part that a causal mask omits */
    int64_t bytes;
    /* bytes of a product's second operand if it is a single matrix, included in `bytes`; otherwise 0 */
    int64_t weight_bytes;
    enum tp_number_type type;
};

/* shapes that a convolution does not record itself; each shape can be unknown */
struct tp_cost_hint {
    /* for a forward operator: shape of its result, which its backward operator records as the gradient */
    struct tp_shape out;
    /* for an operator inside a backward operator: shapes that the enclosing backward operator records */
    struct tp_shape weight, input;
};

/* Returns whether a tensor of the call has a shape but no known type. Such a call has no cost. */
bool tp_cost_lacks_types(const struct tp_op_call *call);

/* Computes the cost of a call. Returns false if the call has no cost. name: name of the operator, including "aten::".
 * hint: NULL without known shapes. */
bool tp_cost_of_call(struct tp_cost *cost, struct tp_str name, const struct tp_op_call *call,
                     const struct tp_cost_hint *hint);

/* Returns the operations of a call whose tensors have shapes but no types; 0 for other calls. Such a call has no cost,
 * because its bytes and its peak rate depend on the types. Parameters as in tp_cost_of_call. */
int64_t tp_cost_flops_without_types(struct tp_str name, const struct tp_op_call *call, const struct tp_cost_hint *hint);

/* Returns whether all patterns of names are valid. Used by tests. */
bool tp_cost_rules_are_valid(void);

#endif
