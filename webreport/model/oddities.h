/* Oddities of a trace that only show once its events stand in order: counted as notices beside the reader's own. */
#ifndef TP_WEBREPORT_MODEL_ODDITIES_H
#define TP_WEBREPORT_MODEL_ODDITIES_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Notes, in trace->reading: time outliers (events over a day away from the middle one, by start), slices that overlap
 * on one row of a device, and the absence of any step marker.
 * Counts events that are in the file twice. */
void tp_oddities_note(struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Start of the event in the middle, by start: what an outlier is far from. 0 without events. */
int64_t tp_oddities_middle_ns(const struct tp_trace *trace, struct tp_arena *arena);

#endif
