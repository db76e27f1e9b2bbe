/* What a run has left in its folder becomes traces in the log folder: spools of recorded processes are converted,
 * traces that PyTorch wrote are packed; both get the names torch gives, WORKER.NS.pt.trace.json.gz. */
#ifndef TP_COLLECTOR_LAUNCH_TAKEOVER_H
#define TP_COLLECTOR_LAUNCH_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/base/error.h"

enum { TP_TAKEOVER_LEFT = 256 };

/* A shell script starts hundreds of processes that are over at once. Other than the program itself, a process has no
 * trace that ran shorter than this, has fewer samples than these, and told nothing: all that was seen of it is samples,
 * its memory and its waits. */
enum { TP_TAKEOVER_BRIEF_MS = 50, TP_TAKEOVER_BRIEF_SAMPLES = 25 };

enum { TP_TAKEOVER_THREADS = 4 }; /* files at the same time: each needs memory */

/* For cut_count, and "s" or "". */
#define TP_TAKEOVER_CUT_WORDS                                                                                          \
    "%zu trace%s of PyTorch break off where the process ended (named _cut); what is whole in them is read"

/* What is done, of a stage: all files are looked at first, because their names depend on each other, then taken. */
struct tp_takeover_progress {
    const char *name; /* of the file at hand */
    size_t done_count, count;
    uint64_t done_bytes, bytes;
};

/* What became of one file. */
enum tp_taken {
    TP_TAKEN_TRACE,   /* path: the trace */
    TP_TAKEN_RUNNING, /* path: the spool, which stays, of a process that still runs, or the folder where it will be */
    TP_TAKEN_FAILED   /* path: the file, which stays; why says why */
};

struct tp_takeover {
    /* given */
    const char *folder; /* of the run: an absolute path */
    const char *logdir;
    pid_t program;        /* the run's own process, which always has its trace; 0: none */
    bool has_outside;     /* the run has a trace from outside: who told nothing is TP_WORKER_INSIDE (writer/worker.h) */
    bool keeps_folder;    /* an empty folder stays, for the caller to remove */
    unsigned patience_ms; /* how long to wait in all for processes that are about to end */
    void (*tell)(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why);
    /* called often while files are taken; by one thread at a time, of ours or another. NULL: nobody asks */
    void (*progress)(void *context, const struct tp_takeover_progress *progress);
    void *context;
    /* told */
    size_t trace_count, running_count, failed_count, empty_count; /* empty: spools without records, removed */
    size_t brief_count;           /* helpers below the floor, removed (TP_TAKEOVER_BRIEF_MS) */
    pid_t left[TP_TAKEOVER_LEFT]; /* processes of the run that still ran; 0: told already */
    size_t left_count;
    size_t cut_count;                  /* traces that end where their process ended: WORKER_cut */
    uint64_t open_count, broken_count; /* ranges that were open at the end, damaged records */
};

/* Takes everything over and removes what has been taken, at last the folder itself when nothing is left in it. Tells of
 * each file at the end, oldest name first. Returns 0, TP_EIO when the folder cannot be read, or TP_ENOMEM. */
int tp_takeover(struct tp_takeover *takeover, struct tp_error *err);

#endif
