/* Names of workers in names of trace files, WORKER.NS.pt.trace.json.gz: what `record` and the report agree on. */
#ifndef TP_WRITER_WORKER_H
#define TP_WRITER_WORKER_H

/* Ends the worker's name of what we recorded in a process of which PyTorch has written a trace, HOST_PID_tracepress
 * beside HOST_PID. Two spans of one worker would follow each other in time; these lie beside each other. */
#define TP_WORKER_BESIDE "_tracepress"

/* Ends the worker's name of a process that helps those that a run is about: loaders of data, shells, launchers. It is
 * no rank, and counts for no number of the run. */
#define TP_WORKER_HELPER "_helper"

/* Ends the worker's name of what was recorded inside of a process that told of nothing but its samples, its memory and its
 * waits, where the run has a trace from outside, too: that one has such samples, and says what the process did. */
#define TP_WORKER_INSIDE "_inside"

/* Ends the worker's name of a trace that PyTorch was still writing when its process ended: text that breaks off. Its
 * reader keeps what is whole, and says so. */
#define TP_WORKER_CUT "_cut"

/* The last part of the path of the library that records inside. */
#define TP_WORKER_LIBRARY "libtracepress-preload.so"

/* Name of the threads that the recorder has inside. */
#define TP_WORKER_THREAD "tracepress"

/* Folder of a run with what `record` has not made traces of yet (collector/launch/run_folder.h). */
#define TP_WORKER_SPOOLS ".spools"

/* Folder of a run that several calls of `record` share, the ranks of a job: a folder of each, by its number, with that
 * rank's raw records (collector/launch/run_ranks.h). */
#define TP_WORKER_RANKS ".ranks"

/* File in it with a line "PID NAME" for each process in which the preload library began, "PID=PATH" for each program that
 * such a process became or started, and "PID!PATH" where the library was left out of that program. */
#define TP_WORKER_ENTERED "entered.tmp"
enum { TP_WORKER_BEGINS = ' ', TP_WORKER_BECOMES = '=', TP_WORKER_LEFT_OUT = '!' };

/* Begins the name of a file in it for each line that a process of the run has said: the others do not say it again. */
#define TP_WORKER_SAID "said."

/* Samples a second where no other number is asked for: about 1 % of the time of a busy thread. */
enum { TP_WORKER_SAMPLES = 500 };

#endif
