/* Reads a trace in JSON: an object with a list "traceEvents", or the list alone, repaired where it is damaged. */
#ifndef TP_WEBREPORT_TRACE_DOCUMENT_H
#define TP_WEBREPORT_TRACE_DOCUMENT_H

#include "webreport/trace/source.h"
#include "webreport/trace/visit.h"

/* The reader of the table of input formats: delivers all events and members to the sink. */
int tp_document_read(struct tp_source *source);

/* Gives the texts of all events and members to the visitor, and nothing to the sink but notices and counts.
 * *has_host_work: an event is work of a host, as each trace of torch.profiler or the collector has it. */
int tp_document_visit(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work);

#endif
