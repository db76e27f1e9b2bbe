/* Text for a terminal of 80 columns: any bytes as harmless characters, padded, aligned and wrapped. */
#ifndef TP_WRITER_TEXT_TERMINAL_H
#define TP_WRITER_TEXT_TERMINAL_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum { TP_TERMINAL_WIDTH = 80 };

/* Characters of `text`; each byte that is no part of one counts. */
size_t tp_terminal_width(struct tp_str text);

/* Appends at most `columns` characters; what a terminal might obey is '?': control characters, also those of two bytes
 * (U+0080..9F), the bidirectional ones (writer/base/utf8.h), and what is no UTF-8. Returns how many it were. */
size_t tp_terminal_put(struct tp_buf *out, struct tp_str text, size_t columns);

/* Makes each byte of the same things '?', in place. */
void tp_terminal_clean(char *text, size_t size);

/* The same, but tabs, line feeds and carriage returns stay. */
void tp_terminal_clean_lines(char *text, size_t size);

/* Breaks what the logs of CI services obey, in place: "::" before a letter where a line begins (GitHub), "##[",
 * "##vso[" and "##teamcity[" anywhere (GitHub, Azure, TeamCity); one byte of each becomes '?'. The text begins a line.
 * Whoever finishes text, Markdown or CSV, or says a line, calls it; a name alone does not know where it will stand. */
void tp_terminal_defuse(char *text, size_t size);

/* The same with what was appended since `out` had the size `start`. */
void tp_terminal_defuse_from(struct tp_buf *out, size_t start);

/* Appends blanks. */
void tp_terminal_pad(struct tp_buf *out, size_t columns);

/* The text in a column of that width: cut when it is longer; to the right: never cut. */
void tp_terminal_left(struct tp_buf *out, const char *text, size_t columns);
void tp_terminal_right(struct tp_buf *out, const char *text, size_t columns);

/* The words of `text` in lines that begin at column `indent` and end before TP_TERMINAL_WIDTH, each with a line feed; a
 * word that is longer than a line is broken. Nothing for no words. */
void tp_terminal_wrap(struct tp_buf *out, const char *text, size_t indent);

#endif
