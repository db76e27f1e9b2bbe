/* Defines the names of workers in trace files, WORKER.NS.pt.trace.json.gz, and other names shared by `record` and the
 * report. */
#ifndef TP_WRITER_WORKER_H
#define TP_WRITER_WORKER_H

/* Suffix of the worker for our own recording of a process with a trace of PyTorch: HOST_PID_tracepress next to
 * HOST_PID. Two spans of one worker would follow each other in time, but these are simultaneous. */
#define TP_WORKER_SECOND "_tracepress"

/* Suffix of the worker for a process that helps the run's main processes: data loaders, shells, launchers. It is not a
 * rank, and does not count in any number of the run. */
#define TP_WORKER_HELPER "_helper"

/* Suffix of the worker for a recording inside a process with only samples, memory and waits, if the run also has a
 * trace from outside. That trace has such samples too, and shows what the process did. */
#define TP_WORKER_INSIDE "_inside"

/* Suffix of the worker for a trace that PyTorch was still writing when its process exited. It is incomplete; the reader
 * uses the complete part and reports that. */
#define TP_WORKER_CUT "_cut"

/* File name of the library that records inside. */
#define TP_WORKER_LIBRARY "libtracepress-preload.so"

/* Name of the recorder's threads inside a program. */
#define TP_WORKER_THREAD "tracepress"

/* Folder in a run with the data that `record` has not converted yet (collector/launch/run_folder.h). */
#define TP_WORKER_SPOOLS ".spools"

/* Folder in a run that several calls of `record` share, the ranks of a job. It has one folder for each rank, by number,
 * with the rank's raw records (collector/launch/run_ranks.h). */
#define TP_WORKER_RANKS ".ranks"

/* File in the folder of raw records. It has a line "PID NAME" for each process in which the preload library started,
 * "PID=PATH" for each program that such a process became or started, and "PID!PATH" if the library was left out of that
 * program. */
#define TP_WORKER_ENTERED "entered.tmp"
enum { TP_WORKER_BEGINS = ' ', TP_WORKER_BECOMES = '=', TP_WORKER_LEFT_OUT = '!' };

/* Beginning of the name of a file for each line that a process of the run has printed, so that the others do not print
 * it again. */
#define TP_WORKER_SAID "said."

/* Default samples per second: about 1 % of the time of a busy thread. */
enum { TP_WORKER_SAMPLES = 500 };

#endif
