/* Writes text for a terminal of 80 columns: replaces unsafe bytes by harmless characters, pads, aligns and wraps. */
#ifndef TP_WRITER_TEXT_TERMINAL_H
#define TP_WRITER_TEXT_TERMINAL_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum { TP_TERMINAL_WIDTH = 80 };

/* Returns the number of characters in `text`. Each invalid byte counts as one character. */
size_t tp_terminal_width(struct tp_str text);

/* Appends at most `columns` characters. Characters that might control a terminal become '?': control characters,
 * including U+0080..9F, bidirectional controls (writer/base/utf8.h), and invalid UTF-8. Returns the number of
 * characters. */
size_t tp_terminal_put(struct tp_buf *out, struct tp_str text, size_t columns);

/* Replaces each byte of a character that might control a terminal by '?', in place. */
void tp_terminal_clean(char *text, size_t size);

/* Replaces each byte of a character that might control a terminal by '?', in place, except tabs, line feeds and
 * carriage returns. */
void tp_terminal_clean_lines(char *text, size_t size);

/* Disables commands in logs of CI services, in place: "::" before a letter at the beginning of a line (GitHub), and
 * "##[", "##vso[" and "##teamcity[" anywhere (GitHub, Azure, TeamCity). One byte of each command becomes '?'. The text
 * must start at the beginning of a line. Call it for complete text, Markdown, CSV or messages, because the position of
 * a single name in its line is not known. */
void tp_terminal_disable_commands(char *text, size_t size);

/* Disables commands in all text that was appended since `out` had the size `start`. */
void tp_terminal_disable_appended(struct tp_buf *out, size_t start);

/* Appends `columns` spaces. */
void tp_terminal_pad(struct tp_buf *out, size_t columns);

/* Appends the text in a column of the given width. tp_terminal_put_left aligns it to the left, and cuts it if it is
 * longer than the column. tp_terminal_put_right aligns it to the right, and never cuts it. */
void tp_terminal_put_left(struct tp_buf *out, const char *text, size_t columns);
void tp_terminal_put_right(struct tp_buf *out, const char *text, size_t columns);

/* Appends the words of `text` in lines that begin at column `indent` and end before TP_TERMINAL_WIDTH, each with a
 * line feed. Breaks a word that is longer than a line. Appends nothing if there are no words. */
void tp_terminal_put_wrapped(struct tp_buf *out, const char *text, size_t indent);

#endif
