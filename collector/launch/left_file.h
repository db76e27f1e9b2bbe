/* One file that a process of a run has left becomes a trace: a spool is converted, a trace that PyTorch wrote is
 * packed. Functions touch nothing but their file, so files are for as many threads as there are. */
#ifndef TP_COLLECTOR_LAUNCH_LEFT_FILE_H
#define TP_COLLECTOR_LAUNCH_LEFT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"
#include "writer/spool/spool_trace.h"

enum tp_left_outcome {
    TP_LEFT_WAITS,   /* nothing was done with it so far */
    TP_LEFT_TRACE,   /* its trace is there, and it is gone */
    TP_LEFT_EMPTY,   /* it told nothing, and is gone */
    TP_LEFT_BRIEF,   /* of a helper below the floor (TP_TAKEOVER_BRIEF_MS), and gone */
    TP_LEFT_RUNNING, /* its process still runs: it stays */
    TP_LEFT_FAILED   /* it stays; err says why */
};

struct tp_left_file {
    char *path, *trace; /* owned; trace: name of the trace, NULL until tp_left_file_name */
    const char *base;   /* last part of path */
    pid_t pid;
    int64_t time_ns;
    uint64_t size_bytes, seen_bytes; /* seen: of these, what is done while it is taken */
    bool is_spool;                   /* else PyTorch's */
    bool is_cut;                     /* of PyTorch's: its process ended while it wrote the file */

    bool is_replaced; /* its process became another program later, which has left a file of its own */
    bool is_empty, was_stopped, is_brief, has_steps; /* of a spool that was looked at */
    bool is_silent;    /* the same: it has nothing but samples, memory, waits and calls of BLAS */
    bool is_looked_at; /* false: it cannot be read, err says why */

    enum tp_left_outcome outcome;
    struct tp_spool_trace_result result;
    struct tp_error err;
};

/* Takes process, time and kind from the name of a file; without a time, that of its last change. False: it is none that
 * becomes a trace, or there is no memory; release it all the same. */
bool tp_left_file_open(struct tp_left_file *file, const char *folder, const char *base);
void tp_left_file_release(struct tp_left_file *file);

/* Reads what decides about a spool's name and whether it has a trace at all. */
void tp_left_file_look(struct tp_left_file *file);

/* Names the trace LOGDIR/HOST_PIDSUFFIX.NS.pt.trace.json.gz. False: no memory. */
bool tp_left_file_name(struct tp_left_file *file, const char *logdir, const char *suffix);

/* What the conversion depends on. */
struct tp_left_run {
    const char *folder; /* of the raw records, absolute: a process that runs has it in its environment */
    pid_t program;      /* always has its trace; 0: none */
    struct tp_spool_watch watch;
};

/* Makes the trace and removes the file; file->outcome says what became of it. */
void tp_left_file_take(struct tp_left_file *file, const struct tp_left_run *run);

#endif
