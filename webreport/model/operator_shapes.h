/* Reads shapes and types of an operator's arguments from "Input Dims" and "Concrete Inputs". Pure functions, any
 * thread. */
#ifndef TP_WEBREPORT_MODEL_OPERATOR_SHAPES_H
#define TP_WEBREPORT_MODEL_OPERATOR_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum { TP_SHAPE_MAX_RANK = 16 };

struct tp_shape {
    int64_t sizes[TP_SHAPE_MAX_RANK];
    unsigned rank;
    bool is_known; /* true if the text was a list of at most TP_SHAPE_MAX_RANK integers */
};

/* Reads a list of integers. is_known is false if the text is anything else. */
struct tp_shape tp_shape_of(struct tp_str json);
/* Returns item `index` of a JSON list, or an empty text if the list is shorter. */
struct tp_str tp_shape_item(struct tp_str json, unsigned index);
/* Returns the shape of input `index`. dims: "Input Dims". */
struct tp_shape tp_shape_input(struct tp_str dims, unsigned index);
/* Returns argument `index`, which is the text of a list or a number: "[1, 1]", "1". concrete: "Concrete Inputs". */
struct tp_shape tp_shape_argument(struct tp_str concrete, unsigned index);
/* Returns the number of elements, at most INT64_MAX; 1 if the shape has no dimensions. */
int64_t tp_shape_product(const struct tp_shape *shape);
/* Returns the output length of a window that slides over `in` elements, as in convolutions. stride must not be 0. */
int64_t tp_shape_window_count(int64_t in, int64_t kernel, int64_t pad, int64_t dilation, int64_t stride);

/* Returns the size in bytes of an element of a tensor type ("float", "c10::Half", "BFloat16"), or 0 if the type is
 * unknown. */
int tp_element_size(struct tp_str type);

#endif
