/* What programs that recorded themselves left in a folder: spools, and temporary files of writers that were killed. */
#ifndef TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H
#define TP_WEBREPORT_SESSION_RECORDINGS_LEFT_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

struct tp_leaving {
    const char *path;
    bool is_spool; /* .*.tpspool; else a temporary file whose process is gone */
    bool is_live;  /* of a spool: its recording goes on */
};

/* Adds to `leavings` (struct tp_leaving, in the order of their paths) what is in the folder, and the temporary files of
 * tensors in its <worker>.tensors/<step>. Symbolic links are left out. The arena's guard is the caller's. Returns 0;
 * TP_EIO when the folder cannot be read. */
int tp_recordings_left_find(struct tp_vec *leavings, struct tp_arena *arena, const char *folder, struct tp_error *err);

#endif
