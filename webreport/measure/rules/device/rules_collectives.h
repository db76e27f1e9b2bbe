/* Functions that the rules about communication share (E4, E6, E7). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns whether FullyShardedDataParallel or fully_shard makes ranges with this name. */
bool tp_is_sharding(struct tp_str name);

/* Returns the time in which communication of a device runs without compute. */
struct tp_intervals tp_exposed_communication(struct tp_advisor *a);

/* Marks time that a finding explains, so that E1 and H8 ignore it. */
void tp_explain_communication(struct tp_advisor *a, struct tp_intervals time);

#endif
