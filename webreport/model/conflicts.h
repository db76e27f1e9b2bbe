/* Counts events that contradict other events of the same file.
 *
 * The recorder writes much data twice: a link repeats the start of its call, ids ascend with time, streams run in the
 * order of their launches. A damaged value therefore contradicts other data. Some writers do not follow all rules, so a
 * rule is used only if nearly all events of the file obey it. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Fills five members of trace->reading: conflicts, damaged_name_events, events_lacking_member, unlaunched_devices and
 * unexplained_memory_totals. arena: temporary memory. */
void tp_conflicts_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

#endif
