/* What rules about communication share (E4, E6, E7). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H

#include "webreport/measure/rules/rules_eval.h"

/* Does a range of this name belong to FullyShardedDataParallel or fully_shard? */
bool tp_is_sharding(struct tp_str name);

/* Where communication of some device runs alone. */
struct tp_intervals tp_exposed_communication(struct tp_advisor *a);

/* Time that a finding explains: E1 and H8 do not ask it again. */
void tp_explain_communication(struct tp_advisor *a, struct tp_intervals time);

#endif
