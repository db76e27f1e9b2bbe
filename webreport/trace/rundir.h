/* Finds the traces in run folders, and the workers that wrote them.
 *
 * File names have the form of torch's tensorboard_trace_handler: WORKER[.TIME].pt.trace.json[.gz]. A folder with
 * such files is a run; each file is the profile of one span of one worker. In a folder without such names, the
 * traces are the files *.json[.gz] that begin like a trace (file_head.h), and the files of other formats that are read,
 * such as *.sqlite. A file with several processes or ranks is listed once for each of them (input_part.h). */
#ifndef TP_WEBREPORT_TRACE_RUNDIR_H
#define TP_WEBREPORT_TRACE_RUNDIR_H

#include <stdbool.h>

#include "webreport/trace/input_part.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_run_file {
    struct tp_str worker;
    struct tp_str time; /* the digits of TIME in the file name; ptr NULL if none exist */
    uint64_t span;      /* position of `time` among the times of the worker, from 1; 0 if the name has no time */
    /* worker whose file has the main records, if this file only adds records to that file (writer/worker.h);
     * otherwise empty */
    struct tp_str main_worker;
    /* true if the run's numbers do not use this file, for one of three reasons: another file of its process is used,
     * its process only helps others (TP_WORKER_HELPER), or is_program is true */
    bool is_helper;
    bool is_silent; /* true for a file of a worker TP_WORKER_INSIDE in a run with a trace of `record --outside` */
    /* true for a trace of `record --outside`, if other files show its processes in more detail; the run's numbers use
     * those files */
    bool is_program;
    const char *path; /* path to open, NUL-terminated */
    const char *base; /* last part of the path */
    /* true if the file was recognized as a trace by its content, because its name does not have torch's form */
    bool is_found_by_content;
    const struct tp_input_part *part; /* the part of the file to read (input_part.h); NULL for the whole file */
};

struct tp_run {
    struct tp_str name;
    /* files sorted by worker, span and path. In runs with a trace of `record --outside`, files whose is_program is true
     * follow the others, and files of TP_WORKER_INSIDE are last. */
    struct tp_run_file *files;
    size_t file_count;
};

struct tp_runs {
    struct tp_run *items;
    size_t count;
    /* number of pipes, sockets and devices with names of traces, which are ignored */
    size_t special_count;
    const char *first_special_path; /* path of the first of these special files; NULL if none exists */
    const char *first_foreign_path; /* path of the first file whose name shows that another tool wrote it; NULL if none
                                       exists */
    /* number of traces ignored because their folder has other traces with names of torch's form */
    size_t ignored_count;
    const char *first_ignored_path; /* path of the first ignored trace; NULL if none exists */
};

/* The paths to search and the pattern for names. */
struct tp_run_search {
    const char *const *paths; /* each path is a folder, a file of any name, or "-" for standard input */
    size_t path_count;
    const char
        /* pattern of fnmatch(3) for file names in folders; NULL for the names described at the top of this file */
        *include;
    const char *process; /* number of the only part to read in files with several parts (input_part.h); NULL for all */
    bool skips_parts; /* true: list a file once, whatever its parts are; listing the parts costs a scan of the file */
};

/* Finds the traces. The files that the user named form the first run, and every folder with traces is another run. In
 * folders, only regular files are used, and symbolic links to folders are not followed. Returns 0, TP_ENOTFOUND if a
 * path does not exist, or TP_ELIMIT for more than TP_MAX_TRACE_FILES files. */
int tp_rundir_find(struct tp_runs *runs, struct tp_arena *arena, const struct tp_run_search *search,
                   struct tp_error *err);

/* Appends to `paths` the files below `folder` whose names end in `suffix` and do not begin with a dot; elements: const
 * char *. Lists folder by folder, sorted by name, without following links to folders. Returns 0, TP_ELIMIT, or TP_EIO
 * if the folder cannot be opened. */
int tp_rundir_find_named(struct tp_vec *paths, const char *folder, const char *suffix, struct tp_error *err);

/* Splits a file name of torch's form into worker and time. Returns false if the name does not have this form. */
bool tp_rundir_split_file_name(const char *base, struct tp_str *worker, struct tp_str *time);

#endif
