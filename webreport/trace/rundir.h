/* Run folders: which files are traces, and whose. Names as torch's tensorboard_trace_handler writes them:
 * WORKER[.TIME].pt.trace.json[.gz]; a folder that holds some is a run, and its files are profiles of workers and spans.
 * In a folder without such names, files *.json[.gz] that begin as a trace are its traces (file_head.h). */
#ifndef TP_WEBREPORT_TRACE_RUNDIR_H
#define TP_WEBREPORT_TRACE_RUNDIR_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_run_file {
    struct tp_str worker;
    struct tp_str time;   /* digits after the worker's name; ptr NULL when there are none */
    uint64_t span;        /* 1-based position of the time among the worker's; 0: no time */
    struct tp_str beside; /* the worker of the run that this is not another of, but more records of its process
                           * (writer/worker.h); empty: none */
    bool is_helper;     /* it speaks for no number of the run: it lies beside another of its process, is of a process
                         * that helps others of the run (TP_WORKER_HELPER), or is_program */
    bool is_silent;     /* the same: TP_WORKER_INSIDE, beside what was recorded from outside */
    bool is_program;    /* recorded from outside, beside traces of processes of the run that tell more: the run's numbers
                         * are theirs */
    const char *path;   /* to open, NUL-terminated */
    const char *base;   /* its last part */
    bool is_by_content; /* found in a folder, under another name than torch's */
};

struct tp_run {
    struct tp_str name;
    struct tp_run_file *files; /* by worker, span, path; where one was recorded from outside, those that are
                                * is_program behind the others, and TP_WORKER_INSIDE behind these */
    size_t file_count;
};

struct tp_runs {
    struct tp_run *items;
    size_t count;
    size_t irregular_count; /* pipes, sockets and devices in the folders under names of traces: left out */
    const char *irregular;  /* the first of them */
    const char *foreign;    /* of the folders: the first file that has a name of other tools; NULL: none */
    size_t unread_count;    /* traces by their content that are left out because traces with torch's names are there */
    const char *unread;     /* the first of them; NULL: none */
};

/* Where to look. */
struct tp_run_search {
    const char *const *paths; /* files of any name, "-", or folders */
    size_t path_count;
    const char
        *include; /* in folders only names that this pattern of fnmatch(3) fits, of any ending; NULL: see above */
};

/* Finds the traces. Files named explicitly form one run, the first; every folder with traces is a run of its own. Of
 * folders, regular files only; symbolic links to folders inside are not followed. Returns 0; TP_ENOTFOUND for a path
 * that does not exist; TP_ELIMIT beyond TP_MAX_TRACE_FILES. */
int tp_rundir_find(struct tp_runs *runs, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_error *err);

/* Appends to `paths` (const char *) the files below `folder` whose names end in `suffix` and do not begin with a dot,
 * folder by folder, by name. Links to folders are not followed. Returns 0; TP_EIO (the folder cannot be opened),
 * TP_ELIMIT. */
int tp_rundir_find_named(struct tp_vec *paths, const char *folder, const char *suffix, struct tp_error *err);

/* Splits a file name by the pattern. False when it does not match. */
bool tp_rundir_match(const char *base, struct tp_str *worker, struct tp_str *time);

#endif
