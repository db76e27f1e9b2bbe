/* Converts one file that a process of a run has left to a trace. The file is a spool, or a trace that PyTorch wrote,
 * which is only compressed. Functions access only their own file, so several threads can convert different files. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_FILE_H
#define TP_COLLECTOR_LAUNCH_RUN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"
#include "writer/spool/spool_trace.h"

enum tp_left_outcome {
    TP_RUN_FILE_PENDING, /* the file is not processed yet */
    TP_RUN_FILE_TRACE,   /* the file was converted to a trace and removed */
    TP_RUN_FILE_EMPTY,   /* the file contained no records and was removed */
    TP_RUN_FILE_SHORT,   /* the file of a short process (TP_TAKEOVER_SHORT_MS) was removed */
    TP_RUN_FILE_RUNNING, /* the file is kept, because its process still runs */
    TP_RUN_FILE_FAILED   /* the file is kept after an error, see err */
};

struct tp_run_file {
    char *path, *trace; /* path: of the file, owned; trace: path of the trace, owned; NULL until tp_run_file_name */
    const char *base;   /* last part of `path` */
    pid_t pid;
    int64_t time_ns;
    uint64_t size_bytes,
        seen_bytes; /* size_bytes: size of the file; seen_bytes: bytes of it that are converted so far */
    bool is_spool;  /* true: a spool; false: a trace of PyTorch */
    bool is_cut;    /* PyTorch's trace is incomplete, because its process exited while writing it */

    bool is_replaced; /* true if the process later became another program, which has left its own file */
    bool is_empty, was_stopped, is_short, has_steps; /* facts of a spool, set by tp_run_file_examine */
    bool is_silent;   /* true if the file is a spool with only samples, memory, waits and BLAS calls */
    bool is_examined; /* true after the file was examined; false also if the file cannot be read, see err */

    enum tp_left_outcome outcome;
    struct tp_spool_trace_result result;
    struct tp_error err;
};

/* Initializes *file from a file name, which contains process, time and kind. If the name has no time, uses the time of
 * the last modification. Returns false if the file does not become a trace, or memory is short. The caller must release
 * *file in any case. */
bool tp_run_file_open(struct tp_run_file *file, const char *folder, const char *base);
void tp_run_file_release(struct tp_run_file *file);

/* Reads the facts that decide whether a spool gets a trace, and the name of the trace. */
void tp_run_file_examine(struct tp_run_file *file);

/* Sets the path of the trace to LOGDIR/HOST_PIDSUFFIX.NS.pt.trace.json.gz. Returns false when memory is short. */
bool tp_run_file_name(struct tp_run_file *file, const char *logdir, const char *suffix);

/* Facts about the run for the conversion. */
struct tp_run_facts {
    const char *folder; /* absolute path of the folder with raw records, which running processes have in their
                         * environment */
    pid_t program;      /* id of the process that always gets a trace; 0: none */
    struct tp_spool_watch watch;
};

/* Makes the trace and removes the file. Sets file->outcome. */
void tp_run_file_convert(struct tp_run_file *file, const struct tp_run_facts *run);

#endif
