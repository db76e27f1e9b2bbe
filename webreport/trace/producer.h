/* Refuses traces of other programs if no number can be computed from their events, because the report would be empty.
 * The refusal names the producer, its categories and what the user can do. */
#ifndef TP_WEBREPORT_TRACE_PRODUCER_H
#define TP_WEBREPORT_TRACE_PRODUCER_H

#include "webreport/trace/trace.h"
#include "writer/base/error.h"

/* Returns TP_OK if the trace has an event of a category that torch.profiler or the collector writes. Otherwise
 * returns TP_EFORMAT with one line of text in *err (may be NULL).
 *
 * Also refuses a profile of ONNX Runtime, because no call launches its kernels. Also refuses a file in which several
 * processes have steps, because every number of the report is for one rank. Call this function when the trace's
 * columns are complete. */
int tp_producer_check(const struct tp_trace *trace, struct tp_error *err);

#endif
