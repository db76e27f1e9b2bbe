/* Reads the top-level member "tracepress_input" of a trace in JSON, with which converters of other formats report
 * what their input cannot show. */
#ifndef TP_WEBREPORT_TRACE_INPUT_MEMBER_H
#define TP_WEBREPORT_TRACE_INPUT_MEMBER_H

#include "webreport/trace/sink.h"

/* Delivers the member to the sink as facts of the input (input_facts.h). Does nothing without the member. Ignores
 * parts with unexpected types. Call this function after the last member of the document was read. */
void tp_input_member_read(struct tp_sink *sink);

#endif
