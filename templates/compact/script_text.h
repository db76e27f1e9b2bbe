/* What a reader of script text must know: where a string or a regular expression ends, and where one starts. */
#ifndef TP_TEMPLATES_COMPACT_SCRIPT_TEXT_H
#define TP_TEMPLATES_COMPACT_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the position after the string or regular expression that starts at `at` with a quote or a slash. The size of
 * the text if it has no end. */
size_t tp_script_quoted_end(const char *text, size_t size, size_t at);

/* Returns whether a slash after `size` bytes of text starts a regular expression instead of dividing. `last` is the
 * last of these bytes that is not a space, or 0. */
bool tp_script_slash_opens_expression(const char *text, size_t size, char last);

#endif
