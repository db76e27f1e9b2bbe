/* Finds the operation in a kernel's name: a wrapper such as vectorized_elementwise_kernel runs an operation that one of
 * its template arguments names. All returned texts borrow the name. */
#ifndef TP_WRITER_TEXT_KERNEL_WRAPPER_H
#define TP_WRITER_TEXT_KERNEL_WRAPPER_H

#include "writer/text/cxx_text.h"

enum { TP_KERNEL_TYPES = 4 }; /* maximum number of types of a wrapper */

/* Returns the text to write before the operation, such as "vectorized_elementwise ", if `entity` is a known wrapper,
 * and stores the argument that names the operation in `inner`. Returns NULL for other names. */
const char *tp_kernel_find_wrapper(const struct tp_cxx_entity *entity, struct tp_str *inner);

/* Stores the types of a wrapper's data in `types` and returns their number; 0 if the wrapper does not name them. For
 * example, BinaryFunctor<BFloat16, BFloat16, BFloat16, MulFunctor<float>> multiplies BFloat16 numbers in single
 * precision. For ReduceOp, the types are the type that is read and the type that is written. */
size_t tp_kernel_types_of_wrapper(const struct tp_cxx_entity *entity, struct tp_str types[TP_KERNEL_TYPES]);

/* Returns the parameters of the last lambda in "f(..)::{lambda(..)#1}::..::{lambda(float)#2}", or an empty text. */
struct tp_str tp_kernel_last_lambda(struct tp_str text);

#endif
