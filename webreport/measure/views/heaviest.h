/* The kernels and operators that take most of the used steps, for places with little room. Tables of the views are about
 * the whole recording; what ran before the first step is no part of these. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_HEAVIEST_H
#define TP_WEBREPORT_MEASURE_VIEWS_HEAVIEST_H

#include "webreport/measure/views/kernel_view.h"
#include "webreport/model/facts.h"

enum { TP_HEAVY_NAME, TP_HEAVY_CALLS, TP_HEAVY_TIME, TP_HEAVY_COLUMNS };

/* Fills `out` with the kernels that run in the used steps: calls and time there, longest first; equal ones in the order
 * of the view. In `arena`. */
void tp_heaviest_kernels(struct tp_table *out, const struct tp_kernel_view *view, struct tp_arena *arena);

/* Fills `out` with the operators that begin in the used steps, with their self time on devices (by_device) or on the
 * host, longest first; equal ones by name. Without marked steps all operators count. In `arena`. */
void tp_heaviest_operators(struct tp_table *out, const struct tp_model *model, bool by_device, struct tp_arena *arena);

#endif
