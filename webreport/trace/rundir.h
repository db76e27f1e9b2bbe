/* Finds the traces in run folders, and the workers that wrote them.
 *
 * File names have the form of torch's tensorboard_trace_handler: WORKER[.TIME].pt.trace.json[.gz]. A folder with
 * such files is a run; each file is the profile of one span of one worker. In a folder without such names, the
 * traces are the files *.json[.gz] that begin like a trace (file_head.h), and the files of other formats that are read,
 * such as *.sqlite. A file with several processes or ranks is listed once for each of them (input_part.h). */
#ifndef TP_WEBREPORT_TRACE_RUNDIR_H
#define TP_WEBREPORT_TRACE_RUNDIR_H

#include <stdbool.h>

#include "webreport/trace/run.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

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
