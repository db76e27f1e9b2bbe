/* Shortens the built-in style and scripts of the page without changing their meaning. */
#ifndef TP_TEMPLATES_COMPACT_COMPACT_TEXT_H
#define TP_TEMPLATES_COMPACT_COMPACT_TEXT_H

#include <stddef.h>

enum tp_compact_kind { TP_COMPACT_STYLE, TP_COMPACT_SCRIPT };

/* Removes comments, and spaces and line ends next to punctuation, where they have no meaning. Strings and regular
 * expressions stay as they are, and so does everything from the first backtick on. A comment that starts with an
 * exclamation mark stays. Works in place and returns the new size.
 *
 * A script must not have a regular expression after a closing parenthesis, as in `if (x) /y/.test(z)`, and must end
 * each statement with a semicolon or a closing brace. The files of templates/ keep these rules. */
size_t tp_compact_text(char *text, size_t size, enum tp_compact_kind kind);

#endif
