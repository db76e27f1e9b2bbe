/* Finds hooks of modules that compute values only for monitoring: part of rule H13. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_HOOKS_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_HOOKS_H

#include "webreport/measure/rules/rules_eval.h"

/* Appends to *time (struct tp_interval) the calls, on the main thread within W, of project functions that modules call
 * as hooks and that reduce values (mean, norm, isnan ..), and, for backward hooks, the work of autograd for them;
 * appends to *picks the longest calls. Returns the number of calls. */
uint32_t tp_watching_hooks(struct tp_advisor *a, struct tp_vec *time, struct tp_picks *picks);

#endif
