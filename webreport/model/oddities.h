/* Counts oddities of a trace that need events in order; the counts are notices, like those of the reader. */
#ifndef TP_WEBREPORT_MODEL_ODDITIES_H
#define TP_WEBREPORT_MODEL_ODDITIES_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Notes, in trace->reading: time outliers (events over a day away from the middle one, by start), slices that overlap
 * on one row of a device, and the absence of any step marker.
 * Counts events that are in the file twice. */
void tp_oddities_note(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the median start of all events, from which outliers are measured; 0 without events. */
int64_t tp_oddities_middle_ns(const struct tp_trace *trace, struct tp_arena *arena);

#endif
