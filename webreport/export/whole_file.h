/* Writes files of an export that are built in memory. A file gets its name only after it is complete. */
#ifndef TP_WEBREPORT_EXPORT_WHOLE_FILE_H
#define TP_WEBREPORT_EXPORT_WHOLE_FILE_H

#include "webreport/export/export_formats.h"
#include "writer/base/buf.h"

/* Adds `path` to the list of files that the command wrote, if `code` is TP_OK. Returns `code`. */
int tp_export_note_written_path(const struct tp_export *export, const char *path, int code);

/* Writes `bytes` to FOLDER/WORKER.ENDING. Returns 0, TP_EIO or TP_ELIMIT. */
int tp_export_whole_file(const struct tp_export *export, const char *ending, struct tp_str bytes, struct tp_error *err);

/* Writes `bytes` to FOLDER/NAME. Returns 0, TP_EIO or TP_ELIMIT. */
int tp_export_named_file(const struct tp_export *export, const char *name, struct tp_str bytes, struct tp_error *err);

/* Writes `text` to FOLDER/WORKER.ENDING as one gzip member. Returns 0, TP_EIO or TP_ELIMIT. text: complete text,
 * without a failure. After the call, the caller releases `text` and calls tp_arena_fail_with_stored_code. */
int tp_export_write_gzip_file(const struct tp_export *export, const char *ending, const struct tp_buf *text,
                              struct tp_error *err);

#endif
