/* Reads the memory snapshot that a report shows together with the trace of the same run. */
#ifndef TP_WEBREPORT_SESSION_JOINED_SNAPSHOT_H
#define TP_WEBREPORT_SESSION_JOINED_SNAPSHOT_H

#include "webreport/measure/snapshot/trace_join.h"
#include "webreport/session/console.h"
#include "webreport/trace/trace.h"

/* Reads and analyses a snapshot. If it cannot be used, prints and stores the reason. read: limit of the size, and
 * whether an unusable snapshot is an error. Allocates from `arena`, whose guard must be set. Returns 0, TP_ENOMEM, or
 * TP_ENOTFOUND if the reading is strict. */
int tp_joined_snapshot_read(struct tp_joined_snapshot *joined, const char *path, const struct tp_trace_options *read,
                            struct tp_console *console, struct tp_arena *arena, struct tp_error *err);

/* Joins the snapshot with a trace, unless it is already joined with a better one: by pairs before by clocks. model:
 * model of the trace, which may be released afterwards. */
void tp_joined_snapshot_add(struct tp_joined_snapshot *joined, struct tp_str worker, const struct tp_model *model,
                            struct tp_arena *arena);

#endif
