/* Finds the files that unfinished recordings left in a folder: spools, runs without traces, and temporary files of
 * killed programs. */
#ifndef TP_WEBREPORT_SESSION_LEFTOVER_FILES_H
#define TP_WEBREPORT_SESSION_LEFTOVER_FILES_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

enum tp_leftover_kind {
    TP_LEFTOVER_SPOOL, /* a spool (raw records of one process): a file with the name .*.tpspool */
    TP_LEFTOVER_RUN, /* the folder of a run that still has raw records (subfolder TP_WORKER_SPOOLS) instead of traces */
    TP_LEFTOVER_TEMPORARY /* a temporary file of a program that no longer runs */
};

struct tp_leftover {
    const char *path;
    enum tp_leftover_kind kind;
    bool is_live; /* for a spool, true if the recording is still running */
};

struct tp_leftover_files {
    struct tp_vec items;        /* leftover files sorted by path; elements: struct tp_leftover */
    size_t folder_count;        /* number of folders searched, including the first one */
    size_t unread_folder_count; /* number of folders that were not searched, because they cannot be read or are deeper
                            than TP_MAX_DIR_DEPTH */
    const char *unread;         /* path of the first folder that was not searched; NULL if all were searched */
};

/* Finds leftover files in a folder and its subfolders. Does not follow symbolic links. All raw records of a run count
 * as one leftover file. Allocates from `arena`, whose guard the caller sets. Returns 0, or TP_EIO if `folder` itself
 * cannot be read. */
int tp_leftover_files_find(struct tp_leftover_files *left, struct tp_arena *arena, const char *folder,
                           struct tp_error *err);

/* Writes the path of the trace that `recover` makes from a spool: ".WORKER.NS.PID.tpspool" gives
 * "WORKER.NS.pt.trace.json.gz" in the same folder. Returns false if the path is longer than `size` - 1 bytes. */
bool tp_leftover_files_trace_path(char *path, size_t size, const char *spool);

/* Returns the folder of the run to which raw records belong, in `arena`: RUN for the path `RUN/.spools` or a file in
 * it. Returns "" for other paths. */
const char *tp_leftover_files_run_folder(struct tp_arena *arena, const char *path);

#endif
