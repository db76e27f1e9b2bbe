/* Removes threads of the recorder from a recorded program, because their states and samples are not work of the
 * program. */
#ifndef TP_WEBREPORT_TRACE_RECORDER_THREADS_H
#define TP_WEBREPORT_TRACE_RECORDER_THREADS_H

#include "webreport/trace/trace.h"

/* Removes the states and samples of threads called "tracepress", and fills trace->recorder. Keeps the first thread of
 * each process. Keeps all threads of a process called "tracepress", because there tracepress is the recorded program.
 */
void tp_recorder_threads_drop(struct tp_trace *trace);

#endif
