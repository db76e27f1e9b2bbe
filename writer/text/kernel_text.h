/* Returns the short name of a kernel: the operation, its type and its tile, without the wrapper that ran it.
 *
 *     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ..>(..)
 *         -> vectorized_elementwise add<float> x4
 *     void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8>(..)
 *         -> cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8
 *
 * Short names are for reading: several kernels may share one, and the full name is shown next to it. The short name
 * depends only on the full name. Unknown parts are kept. */
#ifndef TP_WRITER_TEXT_KERNEL_TEXT_H
#define TP_WRITER_TEXT_KERNEL_TEXT_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_KERNEL_TEXT_BYTES = 160 }; /* maximum length of a short name, bytes */

/* Returns the complete short name of a kernel, or `name` itself if no part of the name is recognized. A new text is in
 * the arena. */
struct tp_str tp_kernel_text(struct tp_arena *arena, struct tp_str name);

/* Returns the demangled name, for comparing two names. Returns `name` itself if it is not mangled. */
struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name);

/* Returns whether `name` is certainly the name of a kernel. The category of the event is not needed. */
bool tp_is_kernel_name(struct tp_str name);

#endif
