/* Ends that cannot be: Python calls that outlive their caller, and device operations that outlive later work of their
 * stream (docs/definitions.md, section 2). Both are recorder faults: a C call that never closed gets the end of the
 * recording, and a device may write a wrong end. The events keep their start and get the latest end that is possible,
 * so that all numbers agree. trace->reading counts them and names the longest. */
#ifndef TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H
#define TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H

#include "webreport/trace/trace.h"

/* Cuts the events of a trace whose events are all read. Scratch memory comes from the trace's arena and goes back to
 * it. */
void tp_impossible_ends_cut(struct tp_trace *trace);

#endif
