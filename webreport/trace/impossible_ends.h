/* Corrects impossible ends: Python calls that outlive their caller, and device operations that outlive later work of
 * their stream (docs/definitions.md, section 2).
 *
 * Both are recorder faults: a C call that was never closed gets the end of the recording, and a device may write a
 * wrong end. The events keep their start and get the latest possible end, so that all numbers agree. trace->reading
 * counts the corrected events and names the longest one. */
#ifndef TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H
#define TP_WEBREPORT_TRACE_IMPOSSIBLE_ENDS_H

#include "webreport/trace/trace.h"

/* Cuts the impossible ends of a trace after all its events were read. Scratch memory comes from the trace's arena and
 * is returned. */
void tp_impossible_ends_cut(struct tp_trace *trace);

#endif
