/* Escapes any bytes as HTML or XML text, as a quoted attribute, or as a name. */
#ifndef TP_WRITER_TEXT_ESCAPE_H
#define TP_WRITER_TEXT_ESCAPE_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends `text` with & < > " ' as references. Control characters other than tab and line feed, U+FFFE, U+FFFF and
 * invalid bytes become U+FFFD. Bidirectional controls (writer/base/utf8.h) are written as visible text, such as
 * \u202e. */
void tp_html_escape(struct tp_buf *out, struct tp_str text);

/* Returns the first max_bytes of `text`, copied to the arena. The result is never empty. Bytes other than letters,
 * digits and the bytes in `marks` become "_". */
char *tp_name_escape(struct tp_arena *arena, struct tp_str text, const char *marks, size_t max_bytes);

/* Returns `text` as a part of a path, at most TP_MAX_EXPORT_NAME_BYTES long, in the arena. Bytes other than letters,
 * digits and ._- become "_". A leading "." becomes "_" too. */
const char *tp_file_name_escape(struct tp_arena *arena, struct tp_str text);

#endif
