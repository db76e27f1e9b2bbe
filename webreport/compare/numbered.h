/* Pairs kernels that a compiler numbers: Inductor's triton_poi_fused_add_6, cpp_fused_relu_2, Triton's kernel_0d1d2d.
 * The number is the place of the kernel in a list and changes if any kernel before it is added or removed. So two runs
 * are compared by the names without numbers, and kernels with the same name are paired in their order. */
#ifndef TP_WEBREPORT_COMPARE_NUMBERED_H
#define TP_WEBREPORT_COMPARE_NUMBERED_H

#include "webreport/compare/sides.h"

/* Returns the length of a name without the compiler's number; name.len if it has none. *number: the number, or 0. */
size_t tp_numbered_stem(struct tp_str name, uint32_t *number);

/* Copies the sides to `out` with the numbered names of the newest run of NEW, in rows and signatures. A kernel that
 * this run lacks gets the suffix " (before)" if its name belongs to another kernel there. Allocates from `arena` (guard
 * set by the caller). Runs without numbered names are shared, not copied. */
void tp_numbered_align(struct tp_side_input out[TP_SIDES], const struct tp_side_input in[TP_SIDES],
                       struct tp_arena *arena);

#endif
