/* Reads the stored summaries of a folder, in order. */
#ifndef TP_WEBREPORT_SESSION_STORED_HISTORY_H
#define TP_WEBREPORT_SESSION_STORED_HISTORY_H

#include "webreport/compare/gate/history.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

struct tp_stored_history {
    struct tp_history_run *runs;
    size_t count, failed_count; /* failed: files that cannot be read */
};

/* Reads the `.tps` files of a folder, or one file, into `arena` (guard set by the caller). Prints which files cannot be
 * read, and leaves them out. Returns 0, or TP_ENOTFOUND when no file can be read. */
int tp_stored_history_load(struct tp_stored_history *history, const char *path, struct tp_arena *arena,
                           struct tp_console *console, struct tp_error *err);

#endif
