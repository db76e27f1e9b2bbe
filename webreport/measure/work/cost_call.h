/* The arguments of a call, read for its cost. Access alone; cost.c and cost_products.c have the formulas. */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_CALL_H
#define TP_WEBREPORT_MEASURE_WORK_COST_CALL_H

#include "webreport/measure/work/cost.h"

enum { TP_COST_ARGUMENTS = 64 };

enum tp_cost_form { TP_COST_NO_TENSOR, TP_COST_EMPTY, TP_COST_TENSOR, TP_COST_LIST };

struct tp_cost_argument {
    enum tp_cost_form form;
    struct tp_shape shape; /* of a tensor */
    struct tp_str shapes;  /* of a list of tensors: JSON */
    struct tp_str types;   /* JSON: a text, or a list of texts; empty: none */
    bool has_size;         /* its type is a known one */
    int64_t size;          /* bytes of an element of its (first) type; 4 without a tensor */
    enum tp_number_type type;
};

struct tp_cost_arguments {
    unsigned count;
    struct tp_cost_argument items[TP_COST_ARGUMENTS];
    struct tp_str concrete;
    bool is_typed; /* at least one type is known, and that of every tensor */
    const struct tp_cost_hint *hint;
};

/* Of the text of a type as JSON; TP_NUMBER_OTHER of anything that is none. */
enum tp_number_type tp_number_type_of(struct tp_str json);

/* False: more arguments, or dimensions that make no sense. */
bool tp_cost_read(struct tp_cost_arguments *a, const struct tp_op_call *call, const struct tp_cost_hint *hint);

/* A tensor with one dimension or more; NULL: the argument is none. i < 0: NULL. */
const struct tp_shape *tp_cost_tensor(const struct tp_cost_arguments *a, int i);
/* Bytes of an element and of all; 4 and 0 where there is no such tensor. */
int64_t tp_cost_size(const struct tp_cost_arguments *a, int i);
int64_t tp_cost_bytes(const struct tp_cost_arguments *a, int i);
enum tp_number_type tp_cost_type(const struct tp_cost_arguments *a, int i);
/* Bytes of the tensors in a list, 0 of no list; and of all tensors, those in lists too. */
int64_t tp_cost_list_bytes(const struct tp_cost_arguments *a, unsigned i);
int64_t tp_cost_all_bytes(const struct tp_cost_arguments *a);

/* Concrete values. Numbers: known when it is a list of integers with something in it. */
struct tp_shape tp_cost_numbers(const struct tp_cost_arguments *a, int i);
/* Is there a value that is neither 0, false nor empty? */
bool tp_cost_truth(const struct tp_cost_arguments *a, int i);
/* An integer; `absent` when it is none. True is 1. */
int64_t tp_cost_integer(const struct tp_cost_arguments *a, int i, int64_t absent);
/* Is it the text "True"? */
bool tp_cost_says_true(const struct tp_cost_arguments *a, unsigned i);
/* Truth of the first two of a list; false: it is no list of two or more. */
bool tp_cost_mask(const struct tp_cost_arguments *a, int i, bool mask[2]);

/* Product of dimensions from `first` on; 1 of none. */
int64_t tp_cost_product(const struct tp_shape *shape, unsigned first);
/* Shapes broadcast against each other; into->rank 0 at first. False: too many dimensions. */
bool tp_cost_broadcast(struct tp_shape *into, const struct tp_shape *with);

/* Fills a cost. */
bool tp_cost_claim(struct tp_cost *cost, int64_t flops, int64_t bytes, enum tp_number_type type);

/* ---- cost_products.c ---- */

/* Products, convolutions and attention by name without "aten::" and "_out". 1: claimed, 0: nothing is claimed, -1: the
 * operator is none of them. */
int tp_cost_of_product(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a);
/* Is it one of these names, which blanks separate? */
bool tp_cost_is_among(struct tp_str name, const char *names);
/* Of engines: x [..,K] by w [N,K], or as two matrices. */
bool tp_cost_of_linear_form(struct tp_cost *cost, const struct tp_cost_arguments *a);
/* Of engines: queries, keys, values as [batch, length, heads, size]. */
bool tp_cost_of_attention_form(struct tp_cost *cost, const struct tp_cost_arguments *a, bool is_causal);

#endif
