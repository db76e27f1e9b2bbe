/* Reads the stored summaries of a folder, sorted by time. */
#ifndef TP_WEBREPORT_SESSION_STORED_HISTORY_H
#define TP_WEBREPORT_SESSION_STORED_HISTORY_H

#include "webreport/compare/gate/history.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

struct tp_stored_history {
    struct tp_history_run *runs;
    size_t count, failed_count; /* failed_count: number of files that cannot be read */
};

/* Reads the `.tps` files of a folder, or one file. Prints and skips files that cannot be read. Allocates from
 * `arena`, whose guard the caller sets. Returns 0, or TP_ENOTFOUND if no file can be read. */
int tp_stored_history_load(struct tp_stored_history *history, const char *path, struct tp_arena *arena,
                           struct tp_console *console, struct tp_error *err);

#endif
