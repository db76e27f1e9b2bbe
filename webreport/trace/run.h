/* Defines runs: the traces that the search (rundir.h) found. */
#ifndef TP_WEBREPORT_TRACE_RUN_H
#define TP_WEBREPORT_TRACE_RUN_H

#include <stdbool.h>

#include "webreport/trace/input_part.h"
#include "writer/worker.h"

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
    /* number of recordings that overlap with another one of a worker of the same name, so that each of them became a
     * worker of its own */
    size_t overlapping_count;
    struct tp_str first_overlapping_worker; /* name of the first of these workers */
};

/* Returns true if the worker name of a file is that of a helper process. */
static inline bool tp_run_file_has_helper_name(const struct tp_run_file *file)
{
    return tp_str_ends(file->worker, TP_WORKER_HELPER) || tp_str_ends(file->worker, TP_WORKER_INSIDE);
}

#endif
