/* Converts the files that a run has left in its folder to traces in LOGDIR. Spools of recorded processes are converted,
 * and traces that PyTorch wrote are compressed. Both get names as torch writes them, WORKER.NS.pt.trace.json.gz. */
#ifndef TP_COLLECTOR_LAUNCH_TAKEOVER_H
#define TP_COLLECTOR_LAUNCH_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

enum { TP_TAKEOVER_LEFT = 256 };

/* Limits of short processes. A process other than the program gets no trace if it ran for less time, has fewer samples,
 * and recorded only samples, memory and waits. Otherwise a shell script would produce hundreds of tiny traces. */
enum { TP_TAKEOVER_SHORT_MS = 50, TP_TAKEOVER_SHORT_SAMPLES = 25 };

enum { TP_TAKEOVER_THREADS = 4 }; /* most files converted at the same time; each conversion needs memory */

/* Returns the words that follow the number of cut traces in a message. */
static inline const char *tp_takeover_cut_text(size_t cut_count)
{
    return cut_count == 1
               ? "trace of PyTorch ends early because its process ended (named _cut); its complete events are read"
               : "traces of PyTorch end early because their processes ended (named _cut); their complete events are "
                 "read";
}

/* Progress of one stage. In the first stage all files are examined, because their names depend on each other. In the
 * second stage all files are converted. */
struct tp_takeover_progress {
    const char *name; /* name of the current file */
    size_t done_count, count;
    uint64_t done_bytes, bytes;
};

/* Result for one file. */
enum tp_taken {
    TP_TAKEN_TRACE,   /* the file was converted; `path` is the trace */
    TP_TAKEN_RUNNING, /* the process still runs; `path` is its spool, which is kept, or the folder in which it will
                       * create its spool */
    TP_TAKEN_FAILED   /* the file `path` is kept in place; `why` is the reason */
};

struct tp_takeover {
    /* members that the caller sets */
    const char *folder; /* folder of the run, an absolute path */
    const char *logdir;
    pid_t program;        /* process id of the run's program, which always gets a trace; 0: none */
    bool has_outside;     /* the run has a trace from outside; processes without other events get TP_WORKER_INSIDE
                           * (writer/worker.h) */
    bool keeps_folder;    /* keeps the folder even if it is empty, because the caller removes it */
    unsigned patience_ms; /* longest total wait for processes that are about to exit, ms */
    void (*report)(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why);
    /* called often during the conversion, by one thread at a time; NULL: no progress is reported */
    void (*progress)(void *context, const struct tp_takeover_progress *progress);
    void *context;
    /* members that tp_takeover sets */
    size_t trace_count, running_count, failed_count, empty_count; /* empty_count: spools without records, which were
                                                                   * removed */
    size_t short_count;           /* spools of short processes (TP_TAKEOVER_SHORT_MS), which were removed */
    pid_t left[TP_TAKEOVER_LEFT]; /* ids of processes of the run that still ran; 0: the entry was already reported */
    size_t left_count;
    size_t cut_count;                  /* traces named WORKER_cut, which end early because their process exited */
    uint64_t open_count, broken_count; /* open_count: ranges that were open at the end; broken_count: damaged records */
};

/* Converts all files and removes the converted ones, and finally the folder if it is empty. Reports each file at the
 * end, in the order of names. Returns 0, TP_EIO if the folder cannot be read, or TP_ENOMEM. */
int tp_takeover(struct tp_takeover *takeover, struct tp_error *err);

#endif
