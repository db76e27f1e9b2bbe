/* What an engineer calls a kernel: the operation, its type and its tile, without the wrapper that ran it.
 *
 *     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ..>(..)
 *         -> vectorized_elementwise add<float> x4
 *     void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8>(..)
 *         -> cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8
 *
 * A short name is for reading: several kernels may share one, and the full name stands beside it. It depends on the name
 * alone. What is not understood stays. */
#ifndef TP_WRITER_TEXT_KERNEL_TEXT_H
#define TP_WRITER_TEXT_KERNEL_TEXT_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_KERNEL_TEXT_BYTES = 160 }; /* what is shown of one */

/* The short name of a kernel; not cut: `name` itself where nothing is understood. The arena's, or `name`. */
struct tp_str tp_kernel_text(struct tp_arena *arena, struct tp_str name);

/* The name without mangling, for who has to say where two names differ; `name` itself where it is not mangled. */
struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name);

/* Is this surely the name of a kernel, whatever event has it? */
bool tp_is_kernel_name(struct tp_str name);

#endif
