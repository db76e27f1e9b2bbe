/* Reads names that torch.compile gives to Triton kernels, such as triton_poi_fused_add_relu_3. */
#ifndef TP_WRITER_TEXT_KERNEL_TRITON_H
#define TP_WRITER_TEXT_KERNEL_TRITON_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"
#include "writer/text/kernel_parts.h"

/* Fills the meaning of a Triton kernel of torch.compile, such as "Triton: add, relu". Operations that move no data are
 * omitted if the kernel has others. Returns false for other names. */
bool tp_kernel_triton_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str name);

#endif
