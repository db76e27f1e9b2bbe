/* Refuses trace events of other programs from which no number can be computed, because their page would be empty. Each
 * refusal names the producer, the categories of its events and what to do. */
#ifndef TP_WEBREPORT_TRACE_PRODUCER_H
#define TP_WEBREPORT_TRACE_PRODUCER_H

#include "webreport/trace/trace.h"
#include "writer/base/error.h"

/* Returns TP_OK if the trace has an event of a category that torch.profiler or the collector writes. Otherwise returns
 * TP_EFORMAT with one line in *err (may be NULL).
 *
 * A profile of ONNX Runtime is refused although its kernels have a known category, because nothing launches them. A
 * file in which several processes have steps is refused as well: it has several ranks, but every number of the report
 * is for one rank. Call this function when the trace's columns are complete. */
int tp_producer_check(const struct tp_trace *trace, struct tp_error *err);

#endif
