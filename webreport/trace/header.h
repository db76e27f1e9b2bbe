/* Reads the top-level members of a trace document. Keeps all members as compact JSON, and stores the values of known
 * members in the trace. */
#ifndef TP_WEBREPORT_TRACE_HEADER_H
#define TP_WEBREPORT_TRACE_HEADER_H

#include "webreport/trace/trace.h"

/* Moves the members (struct tp_header_value) into the trace, and reads deviceProperties, options and the time base. */
void tp_header_finish(struct tp_trace *trace, const struct tp_vec *members);

#endif
