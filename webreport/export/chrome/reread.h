/* Reads a trace file a second time to get the text of its events. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_REREAD_H
#define TP_WEBREPORT_EXPORT_CHROME_REREAD_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/visit.h"

/* Reads export->path and calls the visitor for its events. Memory comes from `arena`, whose guard the caller sets.
 * Returns 0, the visitor's code or TP_ELIMIT. Returns TP_ENOTFOUND if the file cannot be read, or differs from the file
 * that export->reading describes. */
int tp_export_reread_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                           struct tp_error *err);

/* Does the same as tp_export_reread_trace for a file that was not read before, and fills export->reading. */
int tp_export_read_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                         struct tp_error *err);

#endif
