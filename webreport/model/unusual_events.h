/* Counts unusual events that can be found only when the events of a trace are sorted. The counts become notices, like
 * the counts of the reader. */
#ifndef TP_WEBREPORT_MODEL_UNUSUAL_EVENTS_H
#define TP_WEBREPORT_MODEL_UNUSUAL_EVENTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Counts three kinds of unusual events in trace->reading: events that start more than a day before or after the median
 * start, device operations that overlap on one row, and events that occur twice. Also counts conflicts (conflicts.h),
 * and stores whether the trace lacks step markers. */
void tp_unusual_events_count(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the median start of the events, ns, estimated from a sample; 0 if there are no events. Outliers are events
 * far from this time. */
int64_t tp_unusual_events_median_ns(const struct tp_trace *trace, struct tp_arena *arena);

#endif
