/* Reads the shapes and types of an operator's arguments from its "Input Dims" and "Concrete Inputs". The functions have
 * no state, so any thread may call them. */
#ifndef TP_WEBREPORT_MODEL_OPERATOR_SHAPES_H
#define TP_WEBREPORT_MODEL_OPERATOR_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum { TP_SHAPE_MAX_RANK = 16 };

struct tp_shape {
    int64_t sizes[TP_SHAPE_MAX_RANK];
    unsigned rank;
    bool is_known; /* true if the text is a list of at most TP_SHAPE_MAX_RANK integers */
};

/* Reads a shape from a JSON list of integers. is_known is false for any other text. */
struct tp_shape tp_shape_parse(struct tp_str json);
/* Returns item `index` of a JSON list; an empty text if the list is shorter. */
struct tp_str tp_shape_item(struct tp_str json, unsigned index);
/* Returns the shape of the operator's input `index`. dims: "Input Dims" of the operator. */
struct tp_shape tp_shape_input(struct tp_str dims, unsigned index);
/* Returns the argument `index` of an operator as a shape. The argument is a list or one number in a string: "[1, 1]",
 * "1". concrete: "Concrete Inputs" of the operator. */
struct tp_shape tp_shape_argument(struct tp_str concrete, unsigned index);
/* Returns the number of elements of a shape, at most INT64_MAX; 1 for a shape without dimensions. */
int64_t tp_shape_product(const struct tp_shape *shape);
/* Returns the number of positions of a window that slides over `in` elements, which is the output length of a
 * convolution. stride: not 0. */
int64_t tp_shape_window_count(int64_t in, int64_t kernel, int64_t pad, int64_t dilation, int64_t stride);

/* Returns the size of one element of a tensor type ("float", "c10::Half", "BFloat16"), bytes; 0 if the type is
 * unknown. */
int tp_element_size(struct tp_str type);

#endif
