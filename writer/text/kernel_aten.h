/* Names operations of ATen, PyTorch's library of operators, that a wrapper such as vectorized_elementwise_kernel runs.
 */
#ifndef TP_WRITER_TEXT_KERNEL_ATEN_H
#define TP_WRITER_TEXT_KERNEL_ATEN_H

#include "writer/base/arena.h"
#include "writer/text/cxx_text.h"
#include "writer/text/kernel_parts.h"

/* Fills the meaning of a kernel whose function is `entity`. name: whole name of the kernel. Returns false if the
 * function is no wrapper of ATen or the operation is not certain. */
bool tp_kernel_aten_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity,
                         struct tp_str name);

#endif
