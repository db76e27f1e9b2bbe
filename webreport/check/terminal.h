/* Text for a terminal of 80 columns: any bytes as harmless characters, padded, aligned and wrapped. */
#ifndef TP_WEBREPORT_CHECK_TERMINAL_H
#define TP_WEBREPORT_CHECK_TERMINAL_H

#include "writer/base/buf.h"

enum { TP_TERMINAL_WIDTH = 80 };

/* Characters of `text`; each byte that is no part of one counts. */
size_t tp_terminal_width(const char *text);

/* Appends at most `columns` characters; what a terminal might obey is '?'. Returns how many it were. */
size_t tp_terminal_put(struct tp_buf *out, const char *text, size_t columns);

/* Appends blanks. */
void tp_terminal_pad(struct tp_buf *out, size_t columns);

/* The text in a column of that width: cut when it is longer; to the right: never cut. */
void tp_terminal_left(struct tp_buf *out, const char *text, size_t columns);
void tp_terminal_right(struct tp_buf *out, const char *text, size_t columns);

/* The words of `text` in lines that begin at column `indent` and end before TP_TERMINAL_WIDTH, each with a line feed; a
 * word that is longer than a line is broken. Nothing for no words. */
void tp_terminal_wrap(struct tp_buf *out, const char *text, size_t indent);

#endif
