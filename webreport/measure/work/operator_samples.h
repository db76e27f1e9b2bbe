/* Finds the number of samples (inputs of a batch) in an operator call from the shapes of its operands. All functions
 * are pure and may run on any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H
#define TP_WEBREPORT_MEASURE_WORK_OPERATOR_SAMPLES_H

#include "webreport/model/facts.h"
#include "webreport/model/operator_shapes.h"

struct tp_samples {
    int64_t count;        /* number of samples; 0 if unknown */
    int64_t length;       /* number of sequence elements per sample; 0 if the operand is no sequence */
    int64_t rows;         /* number of rows of a matrix product over all samples; 0 if the call is no product */
    bool is_length_first; /* true if the operand has the form [length, 1, features] */
    bool is_recurrent; /* true for gru, lstm and rnn, whose number of samples is the smaller of the first two sizes */
    bool is_of_words;  /* true for an embedding */
    bool is_unknown;   /* true for matrix work whose operand has no known shape; all other members are then 0 */
};

/* Returns the samples of a call. All members are 0 if the operands of the operator do not show samples. */
struct tp_samples tp_samples_of_operator(const struct tp_model *model, uint32_t op);

/* Returns the index of the operand that contains the samples; 0 if the operands do not show samples. For addmm the
 * index is 1, because its first operand is added to the product. */
unsigned tp_samples_operand_index(struct tp_str name);

/* Returns whether an operator multiplies batches of matrices. The operands of such an operator do not show samples. */
bool tp_is_batched_product(struct tp_str name);

/* Returns the shape of operand `argument` of an operator. */
struct tp_shape tp_operand_shape(const struct tp_model *model, uint32_t op, unsigned argument);

#endif
