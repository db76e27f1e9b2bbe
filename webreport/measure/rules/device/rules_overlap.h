/* Computes the largest possible gain from overlapping communication with compute (rules E1 and E6; docs/definitions.md,
 * section 15). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_OVERLAP_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_OVERLAP_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns the part of a device's exposed communication that compute of the same step could hide. Compute before the
 * start of a backward pass cannot hide communication after this start, and vice versa. */
struct tp_intervals tp_hideable_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals exposed);

/* Returns the part of `intervals` that, if hidden, lets the steps finish earlier. Hiding the other part gains nothing,
 * because the host launches later kernels too late. intervals: communication of a device that compute could hide. */
struct tp_intervals tp_critical_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals intervals);

#endif
