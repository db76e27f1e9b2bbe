/* Counts oddities of a trace that can be found only in sorted events. The counts become notices, like the counts of the
 * reader. */
#ifndef TP_WEBREPORT_MODEL_ODDITIES_H
#define TP_WEBREPORT_MODEL_ODDITIES_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Counts in trace->reading: time outliers (events that start more than a day from the median start), overlapping slices
 * on one row of a device, and events that are in the file twice. Also records there that the trace has no step marker.
 */
void tp_oddities_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the median start of all events, ns; 0 without events. The distance of outliers is measured from it. */
int64_t tp_oddities_middle_ns(const struct tp_trace *trace, struct tp_arena *arena);

#endif
