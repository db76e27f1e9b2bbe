/* `report --history DIR`: the stored summaries of a folder as a section of the page. */
#ifndef TP_WEBREPORT_CLI_STORED_HISTORY_H
#define TP_WEBREPORT_CLI_STORED_HISTORY_H

#include "webreport/document/data.h"
#include "webreport/session/console.h"
#include "writer/base/error.h"

/* Reads the `.tps` files of a folder, or one file, into `arena` (its guard is the caller's). *section: for the template
 * "history". A file that cannot be read is said and left out. Returns 0, TP_ENOTFOUND without any. */
int tp_history_load(struct tp_data *section, const char *path, struct tp_arena *arena, struct tp_console *console,
                    struct tp_error *err);

#endif
