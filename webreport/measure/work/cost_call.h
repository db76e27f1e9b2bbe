/* Reads the arguments of a call for its cost. The formulas are in cost_build.c and cost_products.c. */
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
    bool has_size;         /* its type is known */
    int64_t size;          /* bytes of an element of its (first) type; 4 without a tensor */
    enum tp_number_type type;
};

struct tp_cost_arguments {
    unsigned count;
    struct tp_cost_argument items[TP_COST_ARGUMENTS];
    struct tp_str concrete;
    bool is_typed; /* at least one type is known, and the type of every tensor */
    const struct tp_cost_hint *hint;
};

/* Returns the type in a JSON text; TP_NUMBER_OTHER for anything else. */
enum tp_number_type tp_number_type_of(struct tp_str json);

/* Reads the arguments. Returns false for too many arguments or impossible dimensions. */
bool tp_cost_read(struct tp_cost_arguments *a, const struct tp_op_call *call, const struct tp_cost_hint *hint);

/* Returns the shape of an argument that is a tensor with one dimension or more; NULL for other arguments and i < 0. */
const struct tp_shape *tp_cost_tensor(const struct tp_cost_arguments *a, int i);
/* Return the bytes of an element (4 without such a tensor) and of the whole tensor (0 without). */
int64_t tp_cost_size(const struct tp_cost_arguments *a, int i);
int64_t tp_cost_bytes(const struct tp_cost_arguments *a, int i);
enum tp_number_type tp_cost_type(const struct tp_cost_arguments *a, int i);
/* Return the bytes of all tensors in a list (0 if it is not a list), and of all tensors of the call including lists. */
int64_t tp_cost_list_bytes(const struct tp_cost_arguments *a, unsigned i);
int64_t tp_cost_all_bytes(const struct tp_cost_arguments *a);

/* Concrete values. tp_cost_numbers returns a list of integers; is_known: the value is such a list and not empty. */
struct tp_shape tp_cost_numbers(const struct tp_cost_arguments *a, int i);
/* Returns whether the value exists and is neither 0, false nor empty. */
bool tp_cost_truth(const struct tp_cost_arguments *a, int i);
/* Returns an integer, or `absent` if the value is not one. True is 1. */
int64_t tp_cost_integer(const struct tp_cost_arguments *a, int i, int64_t absent);
/* Returns whether the value is the text "True". */
bool tp_cost_says_true(const struct tp_cost_arguments *a, unsigned i);
/* Fills in the first two truth values of a list. Returns false if the value is not a list of two or more. */
bool tp_cost_mask(const struct tp_cost_arguments *a, int i, bool mask[2]);

/* Returns the product of the dimensions from `first` on; 1 if there are none. */
int64_t tp_cost_product(const struct tp_shape *shape, unsigned first);
/* Broadcasts `with` into `into`, which begins with rank 0. Returns false with too many dimensions. */
bool tp_cost_broadcast(struct tp_shape *into, const struct tp_shape *with);

/* Fills a cost. Returns false if a number is negative. */
bool tp_cost_claim(struct tp_cost *cost, int64_t flops, int64_t bytes, enum tp_number_type type);

/* ---- cost_products.c ---- */

/* Computes the cost of products, convolutions and attention. name: without "aten::" and "_out". Returns 1: it has a
 * cost, 0: it has none, -1: the operator is of another family. */
int tp_cost_of_product(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a);
/* Returns whether a name is in a list that is separated by blanks. */
bool tp_cost_is_among(struct tp_str name, const char *names);
/* Computes the cost of an engine's operator: x [..,K] by w [N,K], or a product of two matrices. */
bool tp_cost_of_linear_form(struct tp_cost *cost, const struct tp_cost_arguments *a);
/* Computes the cost of an engine's operator with queries, keys and values as [batch, length, heads, size]. */
bool tp_cost_of_attention_form(struct tp_cost *cost, const struct tp_cost_arguments *a, bool is_causal);

#endif
