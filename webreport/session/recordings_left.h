/* Finds leftover files of recordings below a folder: spools, runs whose traces were not made, and temporary files of
 * writers that were killed. */
#ifndef TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H
#define TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

enum tp_leaving_kind {
    TP_LEAVING_SPOOL,    /* .*.tpspool */
    TP_LEAVING_RUN,      /* the folder of a run whose raw records (TP_WORKER_SPOOLS) are not yet traces */
    TP_LEAVING_TEMPORARY /* a file whose writer does not run any more */
};

struct tp_leaving {
    const char *path;
    enum tp_leaving_kind kind;
    bool is_live; /* only for a spool: its recording is still running */
};

struct tp_recordings_left {
    struct tp_vec items; /* struct tp_leaving, in the order of their paths */
    size_t folder_count; /* folders searched, including the folder itself */
    size_t unread_count; /* folders below it that cannot be read, or are deeper than TP_MAX_DIR_DEPTH */
    const char *unread;  /* the first unread folder */
};

/* Finds leftover files in the folder and below it, without following symbolic links. Files in the folder of a run's raw
 * records count as part of that run. The caller sets the arena's guard. Returns 0; TP_EIO when the folder itself cannot
 * be read. */
int tp_recordings_left_find(struct tp_recordings_left *left, struct tp_arena *arena, const char *folder,
                            struct tp_error *err);

/* Writes the path of the trace that `recover` makes of a spool: ".WORKER.NS.PID.tpspool" becomes
 * "WORKER.NS.pt.trace.json.gz" in the same folder. Returns false when the path is longer than `size`. */
bool tp_recordings_left_name_trace(char *path, size_t size, const char *spool);

/* Returns the folder of the run that a path belongs to, in `arena`: RUN for `RUN/.spools` and for a file in that
 * folder; "" for other paths. */
const char *tp_recordings_left_run_of(struct tp_arena *arena, const char *path);

#endif
