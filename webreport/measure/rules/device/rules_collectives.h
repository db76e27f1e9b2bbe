/* Declares functions that rules about communication share (E4, E6, E7). */
#ifndef TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H
#define TP_WEBREPORT_MEASURE_RULES_DEVICE_RULES_COLLECTIVES_H

#include "webreport/measure/rules/rules_eval.h"

/* Returns whether a name belongs to a range of FullyShardedDataParallel or fully_shard. */
bool tp_is_sharding_name(struct tp_str name);

/* Returns the time in the window of analysed steps in which any device communicates and does not compute. */
struct tp_intervals tp_exposed_communication(struct tp_advisor *a);

/* Records communication time that a finding explains. Rules E1 and H8 then ignore this time. */
void tp_record_explained_communication(struct tp_advisor *a, struct tp_intervals time);

#endif
