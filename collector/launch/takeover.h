/* Converts the files that a run has left in its folder to traces in the log folder. Spools of recorded processes are
 * converted, and traces that PyTorch wrote are compressed. Both get torch's names, WORKER.NS.pt.trace.json.gz. */
#ifndef TP_COLLECTOR_LAUNCH_TAKEOVER_H
#define TP_COLLECTOR_LAUNCH_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

enum { TP_TAKEOVER_LEFT = 256 };

/* A process other than the program gets no trace if it ran for less time than this, has fewer samples than this, and
 * has only samples, memory and waits. Otherwise a shell script would produce hundreds of tiny traces. */
enum { TP_TAKEOVER_SHORT_MS = 50, TP_TAKEOVER_SHORT_SAMPLES = 25 };

enum { TP_TAKEOVER_THREADS = 4 }; /* files converted at the same time; each needs memory */

/* Message for cut_count; the second argument is "s" or "". */
#define TP_TAKEOVER_CUT_WORDS                                                                                          \
    "%zu trace%s of PyTorch end early because the process ended (named _cut); their complete events are read"

/* Progress of one stage. First all files are examined, because their names depend on each other; then all are
 * converted. */
struct tp_takeover_progress {
    const char *name; /* of the current file */
    size_t done_count, count;
    uint64_t done_bytes, bytes;
};

/* Result for one file. */
enum tp_taken {
    TP_TAKEN_TRACE,   /* path: the trace */
    TP_TAKEN_RUNNING, /* path: the spool of a process that still runs, which stays, or the folder in which its spool
                       * will be */
    TP_TAKEN_FAILED   /* `path` is a file that stays in place, `why` the reason */
};

struct tp_takeover {
    /* set by the caller */
    const char *folder; /* of the run, an absolute path */
    const char *logdir;
    pid_t program;        /* the run's main process, which always gets its trace; 0: none */
    bool has_outside;     /* the run has a trace from outside; processes without events of their own get
                           * TP_WORKER_INSIDE (writer/worker.h) */
    bool keeps_folder;    /* an empty folder is not removed, because the caller removes it */
    unsigned patience_ms; /* longest total wait for processes that are about to exit */
    void (*report)(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why);
    /* called often during the conversion, by one thread at a time; NULL: not wanted */
    void (*progress)(void *context, const struct tp_takeover_progress *progress);
    void *context;
    /* set by tp_takeover */
    size_t trace_count, running_count, failed_count, empty_count; /* empty: spools without records, removed */
    size_t short_count;           /* helpers below the limits, removed (TP_TAKEOVER_SHORT_MS) */
    pid_t left[TP_TAKEOVER_LEFT]; /* processes of the run that still ran; 0: already reported */
    size_t left_count;
    size_t cut_count;                  /* traces that break off when their process exited: WORKER_cut */
    uint64_t open_count, broken_count; /* ranges that were open at the end; damaged records */
};

/* Converts all files and removes the converted ones, and finally the folder if it is empty. Reports each file at the
 * end, by name. Returns 0, TP_EIO if the folder cannot be read, or TP_ENOMEM. */
int tp_takeover(struct tp_takeover *takeover, struct tp_error *err);

#endif
