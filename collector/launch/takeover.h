/* Converts the files in the folder of a run into traces in LOGDIR. Spools of recorded processes are converted,
 * and traces that PyTorch wrote are compressed. Both get names as torch writes them, WORKER.NS.pt.trace.json.gz. */
#ifndef TP_COLLECTOR_LAUNCH_TAKEOVER_H
#define TP_COLLECTOR_LAUNCH_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

enum { TP_TAKEOVER_LEFT = 256 };

/* Limits of short processes: run time in ms, and number of samples. A process other than the program gets no trace if
 * it is below both limits and recorded only samples, memory and waits. Otherwise a shell script would produce hundreds
 * of tiny traces. */
enum { TP_TAKEOVER_SHORT_MS = 50, TP_TAKEOVER_SHORT_SAMPLES = 25 };

/* maximum number of files that are converted at the same time, because each conversion needs memory */
enum { TP_TAKEOVER_THREADS = 4 };

/* Returns the words of a message after the number of incomplete traces of PyTorch. */
static inline const char *tp_takeover_cut_text(size_t cut_count)
{
    return cut_count == 1
               ? "trace of PyTorch ends early because its process ended (named _cut); its complete events are read"
               : "traces of PyTorch end early because their processes ended (named _cut); their complete events are "
                 "read";
}

/* Progress of one of two stages. The first stage examines all files, because the name of a trace depends on all files.
 * The second stage converts all files. */
struct tp_takeover_progress {
    const char *name; /* name of the file that is being processed */
    size_t done_count, count;
    uint64_t done_bytes, bytes;
};

/* Result of processing one file. */
enum tp_taken {
    TP_TAKEN_TRACE, /* the file was converted; `path` is the path of the trace */
    /* the process is still running; `path` is its spool, which is kept, or the folder in which it will create its
     * spool */
    TP_TAKEN_RUNNING,
    TP_TAKEN_FAILED /* the file `path` was not converted and is kept; `why` is the reason */
};

struct tp_takeover {
    /* The caller sets the following members. */
    const char *folder; /* folder of raw records, an absolute path */
    const char *logdir;
    pid_t program; /* process id of the run's program, which always gets a trace; 0: no such process */
    /* true if the run has a trace from outside; then processes without other events get TP_WORKER_INSIDE
     * (writer/worker.h) */
    bool has_outside;
    bool keeps_empty_folder; /* true: the folder is kept even if it is empty, because the caller removes it */
    unsigned patience_ms;    /* longest total wait for processes that are about to exit, ms */
    void (*report)(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why);
    /* called often during the conversion, by one thread at a time; NULL: no progress is reported */
    void (*progress)(void *context, const struct tp_takeover_progress *progress);
    void *context;
    /* tp_takeover sets the following members. */
    /* counts of traces, running processes, failed files, and spools without records (removed) */
    size_t trace_count, running_process_count, failed_count, empty_file_count;
    size_t short_count; /* number of spools of short processes (TP_TAKEOVER_SHORT_MS), which were removed */
    /* ids of processes of the run that were still running; 0: the process was already reported */
    pid_t left[TP_TAKEOVER_LEFT];
    size_t left_count;
    size_t cut_count; /* number of traces named WORKER_cut, which end early because their process exited */
    /* open_count: number of ranges without an end when the recording stopped; broken_count: number of damaged
     * records */
    uint64_t open_count, broken_count;
};

/* Converts all files, removes the converted ones, and finally removes the folder if it is empty. Reports each file at
 * the end, in the order of names. Returns 0, TP_EIO if the folder cannot be read, or TP_ENOMEM. */
int tp_takeover(struct tp_takeover *takeover, struct tp_error *err);

#endif
