/* Top-level members of a trace document: kept as compact JSON, the known ones read into the trace. */
#ifndef TP_WEBREPORT_TRACE_HEADER_H
#define TP_WEBREPORT_TRACE_HEADER_H

#include "webreport/trace/decode.h"

/* Takes one member (key without quotes, value as raw JSON). Values beyond TP_MAX_HEADER_BYTES or keys beyond
 * TP_MAX_HEADER_KEYS are dropped and noted. Returns the clean flags of the value. */
unsigned tp_header_add(struct tp_decoder *decoder, struct tp_vec *members, struct tp_str key, struct tp_str value);

/* Moves the members into the trace and reads deviceProperties, options and the time base. */
void tp_header_finish(struct tp_trace *trace, const struct tp_vec *members);

#endif
