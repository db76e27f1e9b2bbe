/* Reads a JSON trace. The document is an object with a list "traceEvents", or only a list of events. Repairs damaged
 * parts. */
#ifndef TP_WEBREPORT_TRACE_DOCUMENT_H
#define TP_WEBREPORT_TRACE_DOCUMENT_H

#include "webreport/trace/source.h"
#include "webreport/trace/visit.h"

/* Reads a document and delivers all its events and members to the sink. The table of input formats points to this
 * function. Returns the codes of tp_source_reader. */
int tp_document_read(struct tp_source *source);

/* Passes the texts of all events and members to the visitor. The sink receives only notices and counts. Sets
 * *has_host_work to true if at least one event is work of a host, as in every trace of torch.profiler or the
 * collector. */
int tp_document_visit(struct tp_source *source, const struct tp_visitor *visitor, bool *has_host_work);

#endif
