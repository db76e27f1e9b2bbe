/* Reads a trace in JSON: an object with a list "traceEvents", or only the list. Damaged parts are repaired. */
#ifndef TP_WEBREPORT_TRACE_DOCUMENT_H
#define TP_WEBREPORT_TRACE_DOCUMENT_H

#include "webreport/trace/source.h"
#include "webreport/trace/visit.h"

/* Delivers all events and members to the sink. The reader of JSON in the table of input formats. */
int tp_document_read(struct tp_source *source);

/* Passes the texts of all events and members to the visitor, and only notices and counts to the sink. *has_host_work:
 * true when an event is work of a host, as in every trace of torch.profiler or the collector. */
int tp_document_visit(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work);

#endif
