/* Threads of our recorder in a recorded program: their states and samples are no facts of the program. */
#ifndef TP_WEBREPORT_TRACE_OWN_THREADS_H
#define TP_WEBREPORT_TRACE_OWN_THREADS_H

#include "webreport/trace/trace.h"

/* Removes states and samples of threads that are called "tracepress", and fills trace->recorder. Kept are those of first
 * threads of processes and of processes that are called so themselves: there, tracepress is the program. */
void tp_own_threads_drop(struct tp_trace *trace);

#endif
