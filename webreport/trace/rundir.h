/* Finds the traces in run folders, and their workers.
 *
 * Names are those of torch's tensorboard_trace_handler: WORKER[.TIME].pt.trace.json[.gz]. A folder with such files is a
 * run, and its files are profiles of workers and spans. If a folder has no such names, its traces are the files
 * *.json[.gz] that begin like a trace (file_head.h). */
#ifndef TP_WEBREPORT_TRACE_RUNDIR_H
#define TP_WEBREPORT_TRACE_RUNDIR_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_run_file {
    struct tp_str worker;
    struct tp_str time; /* digits after the worker's name; ptr NULL if there are none */
    uint64_t span;      /* position of the time among the times of the worker, from 1; 0 if the name has no time */
    /* worker of the run to whose records this file only adds records (writer/worker.h); empty if there is none */
    struct tp_str main_worker;
    /* true if the run's numbers do not use this file. Either another file of its process is used, or its process only
     * helps others of the run (TP_WORKER_HELPER), or is_program is true. */
    bool is_helper;
    bool is_silent; /* true for a helper TP_WORKER_INSIDE, next to a recording from outside */
    /* true for a recording from outside, next to traces of its processes with more detail, which the run's numbers use
     */
    bool is_program;
    const char *path; /* path to open, NUL-terminated */
    const char *base; /* last part of the path */
    /* true if the file was found in a folder by its content, because its name does not have torch's form */
    bool is_found_by_content;
};

struct tp_run {
    struct tp_str name;
    /* sorted by worker, span, path. In runs with a recording from outside, files with is_program follow the others, and
     * files of TP_WORKER_INSIDE are last. */
    struct tp_run_file *files;
    size_t file_count;
};

struct tp_runs {
    struct tp_run *items;
    size_t count;
    /* number of pipes, sockets and devices in the folders that have names of traces and are ignored */
    size_t special_count;
    const char *special; /* path of the first such file; NULL if there is none */
    const char *foreign; /* first file in the folders that has a name of another tool; NULL if there is none */
    /* number of files that begin like traces but are ignored, because there are traces with torch's form of name */
    size_t ignored_count;
    const char *ignored; /* path of the first such file; NULL if there is none */
};

/* The paths to search. */
struct tp_run_search {
    const char *const *paths; /* files of any name, "-", or folders */
    size_t path_count;
    const char
        /* pattern of fnmatch(3) for names in folders, with any ending; NULL: names as described at the top of this file
         */
        *include;
};

/* Finds the traces. The files that the user named form the first run, and every folder with traces is a separate run.
 * In folders only regular files count, and symbolic links to folders are not followed. Returns 0, TP_ENOTFOUND for a
 * path that does not exist, or TP_ELIMIT for more than TP_MAX_TRACE_FILES files. */
int tp_rundir_find(struct tp_runs *runs, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_error *err);

/* Appends to `paths` (const char *) the files below `folder` whose names end in `suffix` and do not begin with a dot,
 * folder by folder, by name. Does not follow links to folders. Returns 0, TP_ELIMIT, or TP_EIO if the folder cannot be
 * opened. */
int tp_rundir_find_named(struct tp_vec *paths, const char *folder, const char *suffix, struct tp_error *err);

/* Splits a file name of torch's form into worker and time. Returns false if the name does not have this form. */
bool tp_rundir_match(const char *base, struct tp_str *worker, struct tp_str *time);

#endif
