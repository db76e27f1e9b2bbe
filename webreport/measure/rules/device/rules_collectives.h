/* Declares functions that the rules about communication share (E4, E6, E7). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns whether a name belongs to a range of FullyShardedDataParallel or fully_shard. */
bool tp_is_sharding_name(struct tp_str name);

/* Returns the time in the window W in which some device communicates and does not compute. */
struct tp_intervals tp_exposed_communication(struct tp_advisor *a);

/* Records communication time that a finding explains, so that rules E1 and H8 ignore it. */
void tp_explain_communication(struct tp_advisor *a, struct tp_intervals time);

#endif
