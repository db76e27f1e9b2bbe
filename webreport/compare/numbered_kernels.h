/* Pairs kernels that a compiler numbers, such as Inductor's triton_poi_fused_add_6 and cpp_fused_relu_2, and Triton's
 * kernel_0d1d2d.
 *
 * The number is the position of the kernel in a list. The number changes when an earlier kernel is added or removed.
 * Two runs are therefore compared by names without numbers. Kernels with the same name are paired in their order. */
#ifndef TP_WEBREPORT_COMPARE_NUMBERED_KERNELS_H
#define TP_WEBREPORT_COMPARE_NUMBERED_KERNELS_H

#include "webreport/compare/sides.h"

/* Returns the length of a name without the compiler's number; name.len if there is no number. *number: the number,
 * or 0. */
size_t tp_numbered_stem_length(struct tp_str name, uint32_t *number);

/* Copies the sides to `out`, with the names that numbered kernels have in the newest run of NEW, in rows and
 * signatures. A kernel that this run lacks gets the suffix " (before)" if the run uses its name for another kernel.
 * Runs without numbered names are not copied; `out` refers to them. Allocates from `arena`, whose guard the caller
 * sets. */
void tp_numbered_make_names_equal(struct tp_side_input out[TP_SIDES], const struct tp_side_input in[TP_SIDES],
                                  struct tp_arena *arena);

#endif
