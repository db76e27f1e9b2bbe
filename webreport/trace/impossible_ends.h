/* Corrects impossible ends: of Python calls that end after their caller, and of device operations that end after later
 * operations of their stream (docs/definitions.md, section 2).
 *
 * Such ends have two causes. A recorder that misses the end of a C call writes the end of the recording instead, and a
 * device may report a wrong end. A corrected event keeps its start and gets the latest possible end. trace->reading
 * counts the corrected events and names the longest one. */
#ifndef TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H
#define TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H

#include "webreport/trace/trace.h"

/* Corrects the impossible ends of a trace, after all events have been read. Takes temporary memory from the trace's
 * arena and gives it back. */
void tp_impossible_ends_cut(struct tp_trace *trace);

#endif
