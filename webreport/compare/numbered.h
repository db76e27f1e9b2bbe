/* Kernels that a compiler numbers: Inductor's triton_poi_fused_add_6, cpp_fused_relu_2, Triton's kernel_0d1d2d.
 *
 * The number is the place of the kernel in a list, and changes when any kernel before it comes or goes. Two runs are
 * therefore compared by the names without it; kernels of one such name pair up in their order. */
#ifndef TP_WEBREPORT_COMPARE_NUMBERED_H
#define TP_WEBREPORT_COMPARE_NUMBERED_H

#include "webreport/compare/sides.h"

/* Length of a name without the number that a compiler gave it; name.len: it has none. *number: 0 without a number. */
size_t tp_numbered_stem(struct tp_str name, uint32_t *number);

/* Copies the sides to `out`. Numbered names of all runs become those of the newest run of NEW, in rows and signatures. A
 * kernel that this run lacks gets the suffix " (before)" where its name belongs to another kernel there. What is
 * copied lives in `arena`, whose guard the caller sets; runs without numbered names are not copied. */
void tp_numbered_align(struct tp_side_input out[TP_SIDES], const struct tp_side_input in[TP_SIDES],
                       struct tp_arena *arena);

#endif
