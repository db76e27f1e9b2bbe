/* Names a kernel by its meaning: what it does, the type of its data, and its tile.
 *
 *     ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn                -> GEMM bf16 128x128x64
 *     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ..>(..)    -> Add fp32
 *     triton_poi_fused_add_relu_3                                                -> Triton: add, relu
 *
 * Multiplication signs separate the sizes of a tile. The type is the type of the data, not of the accumulator. A part
 * that the name does not show is omitted, and a kernel whose operation is not certain has no meaning. Kernels with the
 * same meaning differ in their details, such as layout, stages and alignment. */
#ifndef TP_WRITER_TEXT_KERNEL_MEANING_H
#define TP_WRITER_TEXT_KERNEL_MEANING_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"
#include "writer/text/kernel_parts.h"

/* Finds the meaning of a kernel and returns whether it is certain. `plain` is the demangled name of the kernel. If the
 * meaning is not certain, sets only details. */
bool tp_kernel_meaning_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str plain);

/* Returns the meaning as a text in the arena, without details. */
struct tp_str tp_kernel_meaning_text(struct tp_arena *arena, const struct tp_kernel_meaning *meaning);

#endif
