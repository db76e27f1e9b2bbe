/* Names data types in names of kernels: "bf16" for c10::BFloat16, __nv_bfloat16 and others. */
#ifndef TP_WRITER_TEXT_KERNEL_TYPE_H
#define TP_WRITER_TEXT_KERNEL_TYPE_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns the word for a C++ type such as "c10::BFloat16 const*"; NULL if the type is not a known data type. */
const char *tp_kernel_type_word(struct tp_str type);

/* Returns the word for a type in an identifier, such as "tf32" for the part "tf32f32" in names of cuDNN, where the
 * first type counts. NULL if the part does not consist of types only. */
const char *tp_kernel_type_of_part(struct tp_str part);

/* Returns whether a word of tp_kernel_type_word is a type of real or complex numbers. */
bool tp_kernel_type_is_float(const char *word);

#endif
