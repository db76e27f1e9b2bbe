/* Reads names of matrix products and convolutions that libraries write as one identifier, such as
 * sm80_xmma_fprop_implicit_gemm_tf32f32_.._tilesize128x128x16_stage4 (cuDNN), cutlass_80_tensorop_s1688gemm_..
 * (CUTLASS), Cijk_Alik_Bljk_BBS_BH_MT128x256x32_.. (Tensile) and igemm_fwd_gtcx3_nhwc_bf16_.. (MIOpen). */
#ifndef TP_WRITER_TEXT_KERNEL_PRODUCT_H
#define TP_WRITER_TEXT_KERNEL_PRODUCT_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"
#include "writer/text/kernel_parts.h"

/* Fills the meaning of a product or convolution. Returns false for other names. `word` is the name without namespaces,
 * arguments and parameters. */
bool tp_kernel_product_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, struct tp_str word);

/* Returns sizes such as "128x64" with multiplication signs, in the arena; NULL if `text` does not consist of 2 or 3
 * sizes. A fourth size is omitted. */
const char *tp_kernel_tile_text(struct tp_arena *arena, struct tp_str text);

#endif
