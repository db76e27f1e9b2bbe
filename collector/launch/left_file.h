/* Converts one file that a process of a run has left to a trace: a spool, or a trace that PyTorch wrote and that is
 * compressed here. Functions access only their own file, so several threads can convert different files. */
#ifndef TP_COLLECTOR_LAUNCH_LEFT_FILE_H
#define TP_COLLECTOR_LAUNCH_LEFT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"
#include "writer/spool/spool_trace.h"

enum tp_left_outcome {
    TP_LEFT_WAITS,   /* not processed yet */
    TP_LEFT_TRACE,   /* converted to a trace and removed */
    TP_LEFT_EMPTY,   /* contained nothing, removed */
    TP_LEFT_SHORT,   /* of a short helper process below the limits (TP_TAKEOVER_SHORT_MS), removed */
    TP_LEFT_RUNNING, /* kept, because its process still runs */
    TP_LEFT_FAILED   /* kept after an error, see err */
};

struct tp_left_file {
    char *path, *trace; /* owned; trace: path of the trace, NULL until tp_left_file_name */
    const char *base;   /* last part of path */
    pid_t pid;
    int64_t time_ns;
    uint64_t size_bytes, seen_bytes; /* seen: bytes of these that are converted so far */
    bool is_spool;                   /* false: a trace of PyTorch */
    bool is_cut;                     /* PyTorch's trace is incomplete, because its process exited while writing it */

    bool is_replaced; /* its process later became another program, which has left a file of its own */
    bool is_empty, was_stopped, is_short, has_steps; /* facts of a spool, set by tp_left_file_look */
    bool is_silent;    /* also of a spool: it has only samples, memory, waits and BLAS calls */
    bool is_looked_at; /* false: the file cannot be read, see err */

    enum tp_left_outcome outcome;
    struct tp_spool_trace_result result;
    struct tp_error err;
};

/* Initializes *file from a file name: process, time and kind. Without a time in the name, uses the last modification.
 * Returns false if the file does not become a trace, or memory is short; it must be released in any case. */
bool tp_left_file_open(struct tp_left_file *file, const char *folder, const char *base);
void tp_left_file_release(struct tp_left_file *file);

/* Reads the facts that decide about the name of a spool's trace, and whether it gets one. */
void tp_left_file_look(struct tp_left_file *file);

/* Sets the path of the trace to LOGDIR/HOST_PIDSUFFIX.NS.pt.trace.json.gz. Returns false when memory is short. */
bool tp_left_file_name(struct tp_left_file *file, const char *logdir, const char *suffix);

/* Facts about the run for the conversion. */
struct tp_left_run {
    const char *folder; /* absolute path of the raw records, which running processes have in their environment */
    pid_t program;      /* process that always gets its trace; 0: none */
    struct tp_spool_watch watch;
};

/* Makes the trace and removes the file. file->outcome receives the result. */
void tp_left_file_take(struct tp_left_file *file, const struct tp_left_run *run);

#endif
