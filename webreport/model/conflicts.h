/* Counts events that contradict other events of the file, in trace->reading. The recorder writes many facts twice: a
 * link repeats the start of its call, ids ascend with time, streams run in the order of their launches. A damaged value
 * disagrees with its copy.
 *
 * A rule counts only if nearly all events of the file follow it, because some writers do not know all rules. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Fills the members conflicts, damaged_names, without_member, devices_without_call and unexplained_totals of
 * trace->reading. */
void tp_conflicts_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

#endif
