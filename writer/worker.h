/* Names of workers in names of trace files, WORKER.NS.pt.trace.json.gz: what `record` and the report agree on. */
#ifndef TP_WRITER_WORKER_H
#define TP_WRITER_WORKER_H

/* Ends the worker's name of what we recorded in a process of which PyTorch has written a trace, HOST_PID_tracepress
 * beside HOST_PID. Two spans of one worker would follow each other in time; these lie beside each other. */
#define TP_WORKER_BESIDE "_tracepress"

/* Ends the worker's name of a process that helps those that a run is about: loaders of data, shells, launchers. It is
 * no rank, and counts for no number of the run. */
#define TP_WORKER_HELPER "_helper"

/* Folder of a run with what `record` has not made traces of yet (collector/launch/run_folder.h). */
#define TP_WORKER_SPOOLS ".spools"

/* File in it with a line "PID NAME" for each process in which the preload library began, and "PID=PATH" for each
 * program that such a process became or started. */
#define TP_WORKER_ENTERED "entered.tmp"
enum { TP_WORKER_BEGINS = ' ', TP_WORKER_BECOMES = '=' };

/* Samples a second where no other number is asked for: about 1 % of the time of a busy thread. */
enum { TP_WORKER_SAMPLES = 500 };

#endif
