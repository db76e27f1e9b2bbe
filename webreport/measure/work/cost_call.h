/* Reads the arguments of a call, from which cost_build.c and cost_products.c compute its cost. */
#ifndef TP_WEBREPORT_MEASURE_WORK_COST_CALL_H
#define TP_WEBREPORT_MEASURE_WORK_COST_CALL_H

#include "webreport/measure/work/cost.h"

enum { TP_COST_ARGUMENTS = 64 };

enum tp_cost_form { TP_COST_NO_TENSOR, TP_COST_EMPTY, TP_COST_TENSOR, TP_COST_LIST };

struct tp_cost_argument {
    enum tp_cost_form form;
    struct tp_shape shape; /* shape of a tensor */
    struct tp_str shapes;  /* shapes of a list of tensors, as JSON */
    struct tp_str types;   /* JSON text of one type, or JSON list of types; empty without a type */
    bool has_size;         /* true if the type of the elements is known */
    int64_t size;          /* bytes per element of the (first) type; 4 if the argument is no tensor */
    enum tp_number_type type;
};

struct tp_cost_arguments {
    unsigned count;
    struct tp_cost_argument items[TP_COST_ARGUMENTS];
    struct tp_str concrete;
    bool is_typed; /* true if the call has tensors and the types of all of them are known */
    const struct tp_cost_hint *hint;
};

/* Returns the type for the name in a JSON text; TP_NUMBER_OTHER for unknown types. */
enum tp_number_type tp_number_type_by_name(struct tp_str json);

/* Reads the arguments of a call. Returns false if the call has too many arguments or impossible dimensions. */
bool tp_cost_read_arguments(struct tp_cost_arguments *a, const struct tp_op_call *call,
                            const struct tp_cost_hint *hint);

/* Returns the shape of argument i if it is a tensor with at least one dimension; otherwise NULL. i may be negative. */
const struct tp_shape *tp_cost_tensor_shape(const struct tp_cost_arguments *a, int i);
/* Return the bytes of one element of argument i, and the bytes of the whole tensor. If the argument is no tensor,
 * return 4 and 0. */
int64_t tp_cost_element_bytes(const struct tp_cost_arguments *a, int i);
int64_t tp_cost_tensor_bytes(const struct tp_cost_arguments *a, int i);
enum tp_number_type tp_cost_number_type(const struct tp_cost_arguments *a, int i);
/* Return the bytes of all tensors in list i (0 if argument i is no list), and of all tensors of the call including
 * lists. */
int64_t tp_cost_list_bytes(const struct tp_cost_arguments *a, unsigned i);
int64_t tp_cost_all_tensor_bytes(const struct tp_cost_arguments *a);

/* Returns argument i as a list of integers. is_known is false if the argument is no such list, or an empty list. */
struct tp_shape tp_cost_integer_list(const struct tp_cost_arguments *a, int i);
/* Returns whether argument i exists and is not 0, false or empty. */
bool tp_cost_is_true(const struct tp_cost_arguments *a, int i);
/* Returns argument i as an integer (1 for True), or `absent` if it is not an integer. */
int64_t tp_cost_integer(const struct tp_cost_arguments *a, int i, int64_t absent);
/* Returns whether argument i is the text "True". */
bool tp_cost_is_text_true(const struct tp_cost_arguments *a, unsigned i);
/* Fills `mask` with the first two truth values of list i. Returns false if the list has fewer than two. */
bool tp_cost_read_mask(const struct tp_cost_arguments *a, int i, bool mask[2]);

/* Returns the product of the dimensions from index `first` on; 1 without such dimensions. */
int64_t tp_cost_size_product(const struct tp_shape *shape, unsigned first);
/* Broadcasts `with` into `into`, whose rank is 0 before the first call. Returns false if the result has too many
 * dimensions. */
bool tp_cost_broadcast(struct tp_shape *into, const struct tp_shape *with);

/* Fills a cost. Returns false if a number is negative. */
bool tp_cost_set(struct tp_cost *cost, int64_t flops, int64_t bytes, enum tp_number_type type);

/* ---- cost_products.c ---- */

/* Computes the cost of products, convolutions and attention. name: without "aten::" and "_out". Returns 1 if the call
 * has a cost, 0 if it has none, and -1 if the operator is not of these families. */
int tp_cost_of_product(struct tp_cost *cost, struct tp_str name, const struct tp_cost_arguments *a);
/* Returns whether `names`, a list separated by blanks, contains a name. */
bool tp_cost_is_listed_name(struct tp_str name, const char *names);
/* Computes the cost of a linear operator of a serving engine: x [..,K] by w [N,K], or else a product of two
 * matrices. */
bool tp_cost_of_linear_form(struct tp_cost *cost, const struct tp_cost_arguments *a);
/* Computes the cost of attention in a serving engine. Queries, keys and values have the form [batch, length, heads,
 * size]. */
bool tp_cost_of_attention_form(struct tp_cost *cost, const struct tp_cost_arguments *a, bool is_causal);

#endif
