/* Returns the short name of a kernel: its meaning if that is certain (see kernel_meaning.h), else its name without
 * noise.
 *
 *     void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_tn_align8>(..) -> GEMM fp16 256x128x32
 *     void fbgemm_gpu::permute_2D_lengths_kernel<int>(..) -> fbgemm_gpu::permute_2D_lengths_kernel
 *
 * Multiplication signs separate the sizes. Unknown names keep their last two parts, without template arguments. Short
 * names are for reading: several kernels may share one, and the full name is shown next to it. The short name depends
 * only on the full name. */
#ifndef TP_WRITER_TEXT_KERNEL_TEXT_H
#define TP_WRITER_TEXT_KERNEL_TEXT_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_KERNEL_TEXT_BYTES = 160 }; /* maximum length of a short name, bytes */

/* Returns the complete short name of a kernel, or `name` itself if no part of the name is recognized. A new text is in
 * the arena. */
struct tp_str tp_kernel_text(struct tp_arena *arena, struct tp_str name);

/* The same for a caller that knows the demangled name `plain` (tp_kernel_plain_name). */
struct tp_str tp_kernel_text_of_plain(struct tp_arena *arena, struct tp_str name, struct tp_str plain);

/* Returns the demangled name, for comparing two names. Returns `name` itself if it is not mangled. */
struct tp_str tp_kernel_plain_name(struct tp_arena *arena, struct tp_str name);

#endif
