/* Removes the recorder's own threads from a recorded program, because their states and samples are not work of the
 * program. */
#ifndef TP_WEBREPORT_TRACE_RECORDER_THREADS_H
#define TP_WEBREPORT_TRACE_RECORDER_THREADS_H

#include "webreport/trace/trace.h"

/* Removes the states and samples of threads called "tracepress", and counts them in trace->recorder. Keeps the first
 * thread of each process, and all threads of a process called "tracepress", which is then the recorded program. */
void tp_recorder_threads_remove(struct tp_trace *trace);

#endif
