/* Finds the scripts of a trace: the files that the user started, which are the user's code under any name
 * (docs/definitions.md, section 6). */
#ifndef TP_WEBREPORT_TRACE_SCRIPTS_H
#define TP_WEBREPORT_TRACE_SCRIPTS_H

#include "webreport/trace/trace.h"

/* Adds the scripts to trace->frames, after all events have been read. Takes temporary memory from the trace's arena and
 * gives it back. Needs no pass over the events if no name can be that of a script with an origin other than user. */
void tp_scripts_find(struct tp_trace *trace);

#endif
