/* Corrects impossible ends: of Python calls that end after their caller, and of device operations that end after
 * later operations of their stream (docs/definitions.md, section 2).
 *
 * Both are faults of a recorder. The recorder gives a C call without an end the end of the recording, and a device
 * may write a wrong end. A corrected event keeps its start and gets the latest possible end. trace->reading counts
 * the corrected events and names the longest one. */
#ifndef TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H
#define TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H

#include "webreport/trace/trace.h"

/* Corrects the impossible ends of a trace. All events must have been read. Temporary memory comes from the trace's
 * arena and is given back. */
void tp_impossible_ends_cut(struct tp_trace *trace);

#endif
