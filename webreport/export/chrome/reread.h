/* Reads the text of a trace a second time. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_REREAD_H
#define TP_WEBREPORT_EXPORT_CHROME_REREAD_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/visit.h"

/* Visits the events of export->path, with memory from `arena`, whose guard the caller sets. Returns 0, the visitor's
 * code or TP_ELIMIT. Returns TP_ENOTFOUND if the file cannot be read, or is not the file that export->reading
 * describes. */
int tp_export_reread_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                           struct tp_error *err);

/* Visits the events of a file that was not read before, and fills export->reading. Arguments and results are those of
 * tp_export_reread_trace. */
int tp_export_read_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                         struct tp_error *err);

#endif
