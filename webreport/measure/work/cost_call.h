/* Reads the arguments of a call, to compute its cost. The formulas are in cost_build.c and cost_products.c. */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_CALL_H
#define TP_WEBREPORT_MEASURE_WORK_COST_CALL_H

#include "webreport/measure/work/cost.h"

enum { TP_COST_ARGUMENTS = 64 };

enum tp_cost_form { TP_COST_NO_TENSOR, TP_COST_EMPTY, TP_COST_TENSOR, TP_COST_LIST };

struct tp_cost_argument {
    enum tp_cost_form form;
    struct tp_shape shape; /* shape of a tensor */
    struct tp_str shapes;  /* shapes of a list of tensors, as JSON */
    struct tp_str types;   /* JSON: a text, or a list of texts; empty without a type */
    bool has_size;         /* the type is known */
    int64_t size;          /* bytes of an element of the (first) type; 4 if the argument is no tensor */
    enum tp_number_type type;
};

struct tp_cost_arguments {
    unsigned count;
    struct tp_cost_argument items[TP_COST_ARGUMENTS];
    struct tp_str concrete;
    bool is_typed; /* the types of all tensors are known, and there is at least one */
    const struct tp_cost_hint *hint;
};

/* Returns the type in a JSON text; TP_NUMBER_OTHER for anything else. */
enum tp_number_type tp_number_type_of(struct tp_str json);

/* Reads the arguments. Returns false if there are too many, or if dimensions are impossible. */
bool tp_cost_read(struct tp_cost_arguments *a, const struct tp_op_call *call, const struct tp_cost_hint *hint);

/* Returns the shape of argument i if it is a tensor with at least one dimension; otherwise NULL. i may be negative. */
const struct tp_shape *tp_cost_tensor(const struct tp_cost_arguments *a, int i);
/* Return the bytes of an element (4 if argument i is no such tensor) and of the whole tensor (otherwise 0). */
int64_t tp_cost_size(const struct tp_cost_arguments *a, int i);
int64_t tp_cost_bytes(const struct tp_cost_arguments *a, int i);
enum tp_number_type tp_cost_type(const struct tp_cost_arguments *a, int i);
/* Return the bytes of all tensors in list i (0 if it is not a list), and of all tensors of the call, with lists. */
int64_t tp_cost_list_bytes(const struct tp_cost_arguments *a, unsigned i);
int64_t tp_cost_all_bytes(const struct tp_cost_arguments *a);

/* Returns argument i as a list of integers. is_known: the value is such a list and is not empty. */
struct tp_shape tp_cost_numbers(const struct tp_cost_arguments *a, int i);
/* Returns whether argument i exists and is not 0, false or empty. */
bool tp_cost_is_true(const struct tp_cost_arguments *a, int i);
/* Returns argument i as an integer (1 for True), or `absent` if it is not an integer. */
int64_t tp_cost_integer(const struct tp_cost_arguments *a, int i, int64_t absent);
/* Returns whether argument i is the text "True". */
bool tp_cost_is_text_true(const struct tp_cost_arguments *a, unsigned i);
/* Sets `mask` to the first two truth values of list i. Returns false if the value is no list of two or more. */
bool tp_cost_mask(const struct tp_cost_arguments *a, int i, bool mask[2]);

/* Returns the product of the dimensions from number `first` on; 1 if there are none. */
int64_t tp_cost_product(const struct tp_shape *shape, unsigned first);
/* Broadcasts `with` into `into`, which has rank 0 at first. Returns false if there are too many dimensions. */
bool tp_cost_broadcast(struct tp_shape *into, const struct tp_shape *with);

/* Fills a cost with these numbers. Returns false if a number is negative. */
bool tp_cost_set(struct tp_cost *cost, int64_t flops, int64_t bytes, enum tp_number_type type);

/* ---- cost_products.c ---- */

/* Computes the cost of products, convolutions and attention. name: without "aten::" and "_out". Returns 1 if the
 * operator has a cost, 0 if it has none, and -1 if it is of another family. */
int tp_cost_of_product(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a);
/* Returns whether a list of names, separated by blanks, contains a name. */
bool tp_cost_is_among(struct tp_str name, const char *names);
/* Computes the cost of an operator of a serving engine: x [..,K] by w [N,K], or a product of two matrices. */
bool tp_cost_of_linear_form(struct tp_cost *cost, const struct tp_cost_arguments *a);
/* Computes the cost of attention in a serving engine, with queries, keys and values as [batch, length, heads, size]. */
bool tp_cost_of_attention_form(struct tp_cost *cost, const struct tp_cost_arguments *a, bool is_causal);

#endif
