/* Finds the traces in run folders, and their workers. Names are those of torch's tensorboard_trace_handler:
 * WORKER[.TIME].pt.trace.json[.gz]; a folder with such files is a run, and its files are profiles of workers and spans.
 * In a folder without such names, the files *.json[.gz] that begin like a trace are its traces (file_head.h). */
#ifndef TP_WEBREPORT_TRACE_RUNDIR_H
#define TP_WEBREPORT_TRACE_RUNDIR_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_run_file {
    struct tp_str worker;
    struct tp_str time;   /* digits after the worker's name; ptr NULL when there are none */
    uint64_t span;        /* 1-based position of the time among the worker's; 0: no time */
    struct tp_str beside; /* the worker of the run whose process has more records in this file
                           * (writer/worker.h); empty: none */
    bool is_helper;     /* no number of the run comes from it: another file of its process does, it is from a process
                         * that helps others of the run (TP_WORKER_HELPER), or is_program */
    bool is_silent;     /* a helper, too: TP_WORKER_INSIDE, next to a recording from outside */
    bool is_program;    /* recorded from outside, next to traces of its processes with more detail: the run's numbers
                         * are theirs */
    const char *path;   /* path to open, NUL-terminated */
    const char *base;   /* its last part */
    bool is_by_content; /* found in a folder by its content: its name is not of torch's form */
};

struct tp_run {
    struct tp_str name;
    struct tp_run_file *files; /* by worker, span, path; with a recording from outside, those that are
                                * is_program follow the others, and TP_WORKER_INSIDE follow these */
    size_t file_count;
};

struct tp_runs {
    struct tp_run *items;
    size_t count;
    size_t irregular_count; /* pipes, sockets and devices with names of traces in the folders: left out */
    const char *irregular;  /* the first of them */
    const char *foreign;    /* the first file in the folders with a name of another tool; NULL: none */
    size_t unread_count;    /* files that begin like traces, left out because there are traces with torch's names */
    const char *unread;     /* the first of them; NULL: none */
};

/* The places to search. */
struct tp_run_search {
    const char *const *paths; /* files of any name, "-", or folders */
    size_t path_count;
    const char
        *include; /* only names in folders that match this pattern of fnmatch(3), with any ending; NULL: see above */
};

/* Finds the traces. Files named explicitly form one run, the first; every folder with traces is a separate run. In
 * folders only regular files count, and symbolic links to folders are not followed. Returns 0; TP_ENOTFOUND for a path
 * that does not exist; TP_ELIMIT beyond TP_MAX_TRACE_FILES. */
int tp_rundir_find(struct tp_runs *runs, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_error *err);

/* Appends to `paths` (const char *) the files below `folder` whose names end in `suffix` and do not begin with a dot,
 * folder by folder, by name. Links to folders are not followed. Returns 0; TP_EIO (the folder cannot be opened),
 * TP_ELIMIT. */
int tp_rundir_find_named(struct tp_vec *paths, const char *folder, const char *suffix, struct tp_error *err);

/* Splits a file name of torch's form. Returns false when it does not match. */
bool tp_rundir_match(const char *base, struct tp_str *worker, struct tp_str *time);

#endif
