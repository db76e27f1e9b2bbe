/* Finds the files that unfinished recordings left below a folder: spools, runs whose traces were not made, and
 * temporary files of killed writers. */
#ifndef TP_WEBREPORT_SESSION_LEFTOVER_FILES_H
#define TP_WEBREPORT_SESSION_LEFTOVER_FILES_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

enum tp_leftover_kind {
    TP_LEFTOVER_SPOOL,    /* a spool, with the name .*.tpspool */
    TP_LEFTOVER_RUN,      /* the folder of a run whose raw records (TP_WORKER_SPOOLS) are not traces yet */
    TP_LEFTOVER_TEMPORARY /* a temporary file whose writer no longer runs */
};

struct tp_leftover {
    const char *path;
    enum tp_leftover_kind kind;
    bool is_live; /* for spools: the recording is still running */
};

struct tp_leftover_files {
    struct tp_vec items; /* elements: struct tp_leftover, sorted by path */
    size_t folder_count; /* number of searched folders, including the first one */
    size_t unread_count; /* number of folders that cannot be read, or are deeper than TP_MAX_DIR_DEPTH */
    const char *unread;  /* path of the first folder that was not read */
};

/* Finds the files in the folder and below it, without following symbolic links. Files in the folder of a run's raw
 * records count as part of that run. The caller sets the arena's guard. Returns 0, or TP_EIO if the folder itself
 * cannot be read. */
int tp_leftover_files_find(struct tp_leftover_files *left, struct tp_arena *arena, const char *folder,
                           struct tp_error *err);

/* Writes the path of the trace that `recover` makes from a spool: ".WORKER.NS.PID.tpspool" becomes
 * "WORKER.NS.pt.trace.json.gz" in the same folder. Returns false if the path does not fit into `size` bytes. */
bool tp_leftover_files_name_trace(char *path, size_t size, const char *spool);

/* Returns the folder of the run to which a path belongs, in `arena`. It is RUN for `RUN/.spools` and for a file in that
 * folder, and "" for other paths. */
const char *tp_leftover_files_run_of(struct tp_arena *arena, const char *path);

#endif
