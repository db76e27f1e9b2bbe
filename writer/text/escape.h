/* Any bytes as HTML or XML text or the inside of a quoted attribute; as names. */
#ifndef TP_WRITER_TEXT_ESCAPE_H
#define TP_WRITER_TEXT_ESCAPE_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends `text` with & < > " ' as references; control characters other than tab and line feed, U+FFFE, U+FFFF and each
 * byte that is no valid UTF-8, as U+FFFD; bidirectional controls (writer/base/utf8.h) visibly, as \u202e. */
void tp_html_escape(struct tp_buf *out, struct tp_str text);

/* The first max_bytes of `text` in `arena`, never empty: other bytes than letters, digits and those in `marks` become
 * "_". */
char *tp_name_escape(struct tp_arena *arena, struct tp_str text, const char *marks, size_t max_bytes);

/* `text` as a part of a path in `arena`, of at most TP_MAX_EXPORT_NAME_BYTES: other bytes than letters, digits and ._-
 * become "_", and so does a "." that it begins with. */
const char *tp_file_name_escape(struct tp_arena *arena, struct tp_str text);

#endif
