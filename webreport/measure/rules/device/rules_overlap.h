/* Limits the gain from overlapping communication with compute (rules E1, E6; section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_OVERLAP_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_OVERLAP_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns the part of a device's exposed communication that compute of the same step could hide. Compute before the
 * start of a backward pass cannot hide communication after this start, and vice versa. */
struct tp_intervals tp_hideable_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals exposed);

/* Returns the part of `intervals` without which the steps finish earlier. Hiding the rest gains nothing, because the
 * host launches later kernels too late. intervals: communication of a device that compute could hide. */
struct tp_intervals tp_critical_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals intervals);

#endif
