/* Defines the names of workers in the names of trace files (WORKER.NS.pt.trace.json.gz), and other names that `record`
 * and the report share. */
#ifndef TP_WRITER_WORKER_H
#define TP_WRITER_WORKER_H

/* Suffix of the worker for tracepress's own recording of a process that also has a trace of PyTorch. The worker is
 * HOST_PID_tracepress, and the worker of PyTorch's trace is HOST_PID. Without the suffix, the two traces would be
 * spans of one worker. Spans of one worker follow each other in time, but these traces are simultaneous. */
#define TP_WORKER_SECOND "_tracepress"

/* Suffix of the worker for a process that helps the run's main processes: a data loader, shell or launcher. Such a
 * process is not a rank, and the numbers of the run do not include it. */
#define TP_WORKER_HELPER "_helper"

/* Suffix of the worker for a recording made inside a process, if it contains only samples, memory and waits, and the
 * run also has a trace recorded from outside. That trace contains the samples too. */
#define TP_WORKER_INSIDE "_inside"

/* Suffix of the worker for a trace that PyTorch was still writing when its process exited, so that the trace is
 * incomplete. The reader uses the complete part and reports the cut. */
#define TP_WORKER_CUT "_cut"

/* File name of the library that records inside a program. */
#define TP_WORKER_LIBRARY "libtracepress-preload.so"

/* Name of the recorder's threads inside a program. */
#define TP_WORKER_THREAD "tracepress"

/* Folder in a run with the data that `record` has not converted yet (collector/launch/run_folder.h). */
#define TP_WORKER_SPOOLS ".spools"

/* Folder in a run that several calls of `record`, the ranks of a job, share. It contains one folder for each rank,
 * named by the number of the rank, with the rank's raw records (collector/launch/run_ranks.h). */
#define TP_WORKER_RANKS ".ranks"

/* File in the folder of raw records. A line "PID NAME" says that the preload library started in a process. A line
 * "PID=PATH" names a program that such a process became or started. A line "PID!PATH" names such a program into which
 * the library was not loaded. */
#define TP_WORKER_PROCESS_LIST "entered.tmp"
enum { TP_WORKER_BEGINS = ' ', TP_WORKER_BECOMES = '=', TP_WORKER_LEFT_OUT = '!' };

/* Beginning of a file name. A file with such a name exists for each line that a process of the run has printed. So the
 * other processes do not print the line again. */
#define TP_WORKER_PRINTED_PREFIX "said."

/* default number of samples per second, which costs about 1 % of the time of a busy thread */

enum { TP_WORKER_SAMPLES = 500 };

#endif
