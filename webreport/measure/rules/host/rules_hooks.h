/* Finds hooks of modules that compute values only for monitoring, a part of rule H13. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_RULES_HOOKS_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_RULES_HOOKS_H

#include "webreport/measure/rules/rules_eval.h"

/* Finds the calls of hooks that reduce values (mean, norm, isnan ..). A hook is a function of the project that torch
 * calls for modules, on the main thread within the window of analysed steps. Appends the times of the calls to *time
 * (elements: struct tp_interval), including the autograd engine's work for backward hooks. Appends the longest calls to
 * *picks. Returns the number of calls. */
uint32_t tp_find_monitoring_hooks(struct tp_advisor *a, struct tp_vec *time, struct tp_picks *picks);

#endif
