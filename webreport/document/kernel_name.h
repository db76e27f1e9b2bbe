/* What an engineer calls a kernel: the operation, its type and its tile, without the wrapper that ran it.
 *
 *     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ..>(..)
 *         -> vectorized_elementwise add<float> x4
 *     void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8>(..)
 *         -> cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8
 *
 * A short name is for reading: several kernels may share one (tp_section_tell_rows_apart), and the full name stands
 * beside it. It depends on the name alone. What is not understood stays, cut. */
#ifndef TP_WEBREPORT_DOCUMENT_KERNEL_NAME_H
#define TP_WEBREPORT_DOCUMENT_KERNEL_NAME_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* The short name of a kernel, at most 160 bytes. A Python call keeps the end of its path. The arena's, or `name`. */
struct tp_str tp_kernel_short_name(struct tp_arena *arena, struct tp_str name);

/* The name without mangling, for who has to say where two names differ; `name` itself where it is not mangled. */
struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name);

/* A name as the viewers of the timeline and the call tree show it: kernels by their short names, nothing private.
 * context: struct tp_naming. */
struct tp_str tp_viewer_name(const void *context, struct tp_str name);

#endif
