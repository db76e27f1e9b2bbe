/* Reads the top-level members of a trace document. Keeps every member as compact JSON. Also writes the values of
 * known members to fields of the trace. */
#ifndef TP_WEBREPORT_TRACE_HEADER_H
#define TP_WEBREPORT_TRACE_HEADER_H

#include "webreport/trace/trace.h"

/* Moves the members into the trace. Reads deviceProperties, options and the time base from them. Elements of `members`:
 * struct tp_header_value. */
void tp_header_finish(struct tp_trace *trace, const struct tp_vec *members);

#endif
