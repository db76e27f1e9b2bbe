/* Finds the kernels and operators with the most time in the analysed steps, for short outputs. In contrast, the tables
 * of the views cover the whole recording, including the time before the first step. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_COSTLIEST_H
#define TP_WEBREPORT_MEASURE_VIEWS_COSTLIEST_H

#include "webreport/measure/views/kernel_view.h"
#include "webreport/model/facts.h"

enum { TP_HEAVY_NAME, TP_HEAVY_CALLS, TP_HEAVY_TIME, TP_HEAVY_COLUMNS };

/* Fills `out` with the kernels that run in the analysed steps, with their calls and time in these steps, longest first.
 * Kernels with equal times keep the order of the view. Allocates from `arena`. */
void tp_find_costliest_kernels(struct tp_table *out, const struct tp_kernel_view *view, struct tp_arena *arena);

/* Fills `out` with the operators that start in the analysed steps, longest first, then by name. The time of an operator
 * is self time: on devices if by_device is true, otherwise on the host. Without marked steps, includes all operators.
 * Allocates from `arena`. */
void tp_find_costliest_operators(struct tp_table *out, const struct tp_model *model, bool by_device,
                                 struct tp_arena *arena);

#endif
