/* What programs that recorded themselves, or that `record` ran, left below a folder: spools, runs whose traces were not
 * made, and temporary files of writers that were killed. */
#ifndef TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H
#define TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

enum tp_leaving_kind {
    TP_LEAVING_SPOOL,    /* .*.tpspool */
    TP_LEAVING_RUN,      /* the folder of a run in which raw records wait (TP_WORKER_SPOOLS) */
    TP_LEAVING_TEMPORARY /* a file whose writer is gone */
};

struct tp_leaving {
    const char *path;
    enum tp_leaving_kind kind;
    bool is_live; /* of a spool: its recording goes on */
};

struct tp_recordings_left {
    struct tp_vec items; /* struct tp_leaving, in the order of their paths */
    size_t folder_count; /* looked into, the folder itself among them */
    size_t unread_count; /* folders below it that cannot be read, or lie deeper than TP_MAX_DIR_DEPTH */
    const char *unread;  /* the first of them */
};

/* Finds what is in the folder and below it, but not behind symbolic links. What lies in the raw records of a run is
 * that run's. The arena's guard is the caller's. Returns 0; TP_EIO when the folder itself cannot be read. */
int tp_recordings_left_find(struct tp_recordings_left *left, struct tp_arena *arena, const char *folder,
                            struct tp_error *err);

/* Writes the path of the trace that `recover` makes of a spool: ".WORKER.NS.PID.tpspool" becomes
 * "WORKER.NS.pt.trace.json.gz" in the same folder. Returns false when the path is longer than `size`. */
bool tp_recordings_left_name_trace(char *path, size_t size, const char *spool);

/* The folder of the run that a path is in: of `RUN/.spools`, or of a file in it; "" when it is in none. In `arena`. */
const char *tp_recordings_left_run_of(struct tp_arena *arena, const char *path);

#endif
