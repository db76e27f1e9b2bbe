/* Any bytes as HTML or XML text or the inside of a quoted attribute. */
#ifndef TP_WRITER_TEXT_ESCAPE_H
#define TP_WRITER_TEXT_ESCAPE_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends `text` with & < > " ' as references; control characters other than tab and line feed, U+FFFE, U+FFFF and each
 * byte that is no valid UTF-8, as U+FFFD; the bidirectional controls U+202A..E and U+2066..9 visibly, as \u202e. */
void tp_html_escape(struct tp_buf *out, struct tp_str text);

#endif
