/* Number of samples (inputs of a batch) that a call of an operator works on, read from the shapes of its operands.
 * Pure functions, any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H
#define TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H

#include "webreport/model/facts.h"
#include "webreport/model/operator_shapes.h"

struct tp_samples {
    int64_t count;        /* samples; 0: unknown */
    int64_t length;       /* elements of the sequence of a sample; 0: the operand is not a sequence */
    int64_t rows;         /* rows of a matrix product, for all samples; 0: the call is not a product */
    bool is_length_first; /* the operand is [length, 1, features] */
    bool is_recurrent;    /* gru, lstm, rnn: the smaller of the first two sizes counts the samples */
    bool is_of_words;     /* embedding */
    bool is_unknown;      /* matrix work whose operand has no known shape; all other members are 0 */
};

/* Returns the samples of a call. All members are 0 for operators whose operands do not show samples. */
struct tp_samples tp_samples_of(const struct tp_model *model, uint32_t op);

/* Returns the index of the operand that contains the samples: addmm adds its product to another operand, the first one.
 * 0 for operators whose operands do not show samples. */
unsigned tp_samples_operand(struct tp_str name);

/* Returns whether an operator is a product of batches of matrices, whose operands do not show samples. */
bool tp_is_batched_product(struct tp_str name);

/* Returns the shape of one operand of an operator. */
struct tp_shape tp_operand_shape(const struct tp_model *model, uint32_t op, unsigned argument);

#endif
