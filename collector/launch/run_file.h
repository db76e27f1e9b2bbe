/* Makes a trace from one file that a process of a run has written. The file is either a spool, or a trace of PyTorch,
 * which is only compressed. Each function accesses only the file that is passed to it, so that several threads can
 * convert different files. */
#ifndef TP_COLLECTOR_LAUNCH_RUN_FILE_H
#define TP_COLLECTOR_LAUNCH_RUN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"
#include "writer/spool/spool_trace.h"

enum tp_left_outcome {
    TP_RUN_FILE_PENDING, /* the file was not processed yet */
    TP_RUN_FILE_TRACE,   /* the file was converted to a trace and removed */
    TP_RUN_FILE_EMPTY,   /* the file contained no records and was removed */
    TP_RUN_FILE_SHORT,   /* the file belonged to a short process (TP_TAKEOVER_SHORT_MS) and was removed */
    TP_RUN_FILE_RUNNING, /* the file was not converted, because its process is still running */
    TP_RUN_FILE_FAILED   /* the file was not converted because of an error, see err */
};

struct tp_run_file {
    /* path: path of the file, owned; trace: path of the trace, owned, NULL until tp_run_file_set_trace_path */
    char *path, *trace;
    const char *base; /* last part of `path` */
    pid_t pid;
    int64_t time_ns;
    /* size_bytes: size of the file; converted_bytes: number of its bytes that were converted so far */
    uint64_t size_bytes, converted_bytes;
    bool is_spool; /* true: the file is a spool; false: the file is a trace of PyTorch */
    bool is_cut;   /* true: PyTorch's trace is incomplete, because its process exited while it wrote the trace */

    bool is_replaced; /* true if the process later became another program, which wrote its own file */
    bool is_empty, was_stopped, is_short, has_steps; /* facts about a spool, set by tp_run_file_examine; is_short: see
                                                      * takeover.h */
    bool is_silent;   /* true if the file is a spool with only samples, memory, waits and BLAS calls */
    bool is_examined; /* true if the file was examined successfully; after a failure, see err */

    enum tp_left_outcome outcome;
    struct tp_spool_trace_result result;
    struct tp_error err;
};

/* Initializes *file from a file name, which contains process id, time and kind. If the name contains no time, uses the
 * time of the last modification. Returns false if the file does not become a trace, or memory is short. The caller
 * must release *file in any case. */
bool tp_run_file_open(struct tp_run_file *file, const char *folder, const char *base);
void tp_run_file_release(struct tp_run_file *file);

/* Reads the properties of a spool from which the takeover derives whether the spool gets a trace, and the name of the
 * trace. */
void tp_run_file_examine(struct tp_run_file *file);

/* Sets file->trace to LOGDIR/HOST_PIDSUFFIX.NS.pt.trace.json.gz. Returns false when memory is short. */
bool tp_run_file_set_trace_path(struct tp_run_file *file, const char *logdir, const char *suffix);

/* Properties of the run that the conversion needs. */
struct tp_run_facts {
    /* absolute path of the folder of raw records; running processes of the run have it in their environment */
    const char *folder;
    pid_t program; /* id of the process that always gets a trace; 0: no such process */
    struct tp_spool_watch watch;
};

/* Makes the trace of the file and removes the file. Sets file->outcome. */
void tp_run_file_convert(struct tp_run_file *file, const struct tp_run_facts *run);

#endif
