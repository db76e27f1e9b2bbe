/* Files of an export that are made in memory: they appear whole or not at all. */
#ifndef TP_WEBREPORT_EXPORT_WHOLE_FILE_H
#define TP_WEBREPORT_EXPORT_WHOLE_FILE_H

#include "webreport/export/export_formats.h"
#include "writer/base/buf.h"

/* What a trace lacks of which formats of samples make nothing. */
#define tp_export_no_samples                                                                                           \
    "no samples of running threads in it: 'tracepress record' takes them, and so does .sample_rate of tracepress.h"

/* Notes in the job that `path` was written if `code` is TP_OK. Returns code. */
int tp_export_wrote(const struct tp_export *export, const char *path, int code);

/* Writes FOLDER/WORKER.ENDING. 0, TP_EIO, TP_ELIMIT. */
int tp_export_whole_file(const struct tp_export *export, const char *ending, struct tp_str bytes, struct tp_error *err);

/* The same as one gzip member. text: did not fail; it stays the caller's, who calls tp_arena_pass_on when it is released. */
int tp_export_packed_file(const struct tp_export *export, const char *ending, const struct tp_buf *text,
                          struct tp_error *err);

#endif
