/* Reads track events: slices of the host, and the marks and counters of files that tracepress wrote. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_TRACK_EVENTS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_TRACK_EVENTS_H

#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

/* Reads the TrackEvent of a packet. Returns false if the message is broken. */
bool tp_track_events_read(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet);

#endif
