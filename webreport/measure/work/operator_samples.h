/* The number of samples (inputs of a batch) in a call of an operator, known from the shapes of its operands. Pure
 * functions for any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H
#define TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H

#include "webreport/model/facts.h"
#include "webreport/model/operator_shapes.h"

struct tp_samples {
    int64_t count;        /* number of samples; 0: unknown */
    int64_t length;       /* number of elements in the sequence of a sample; 0: the operand is not a sequence */
    int64_t rows;         /* number of rows of a matrix product, over all samples; 0: the call is not a product */
    bool is_length_first; /* the operand has the form [length, 1, features] */
    bool is_recurrent;    /* gru, lstm or rnn, where the smaller of the first two sizes is the number of samples */
    bool is_of_words;     /* the operator is an embedding */
    bool is_unknown; /* the operator is matrix work, but the shape of its operand is unknown; all other members are 0 */
};

/* Returns the samples of a call. All members are 0 for operators whose operands do not show samples. */
struct tp_samples tp_samples_of(const struct tp_model *model, uint32_t op);

/* Returns the index of the operand that contains the samples. It is not 0 for addmm, whose first operand is added to
 * the product. 0 if operands do not show samples. */
unsigned tp_samples_operand(struct tp_str name);

/* Returns whether an operator is a product of batches of matrices. The operands of such a product do not show
 * samples. */
bool tp_is_batched_product(struct tp_str name);

/* Returns the shape of one operand of an operator. */
struct tp_shape tp_operand_shape(const struct tp_model *model, uint32_t op, unsigned argument);

#endif
