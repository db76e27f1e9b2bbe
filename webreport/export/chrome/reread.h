/* Reads the text of a trace a second time. */
#ifndef TP_WEBREPORT_EXPORT_CHROME_REREAD_H
#define TP_WEBREPORT_EXPORT_CHROME_REREAD_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/visit.h"

/* Visits export->path, with memory from `arena` (guard set by the caller). Returns 0, the visitor's code, TP_ELIMIT, or
 * TP_ENOTFOUND when the file cannot be read or differs from the one that export->reading describes. */
int tp_reread(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
              struct tp_error *err);

/* Does the same for a file that was not read before; fills export->reading. */
int tp_read_text(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                 struct tp_error *err);

#endif
