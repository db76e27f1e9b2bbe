/* Lines of the user's source files: torch tells the line of a function's `def`, the source which line of it is meant.
 */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/compare.h"
#include "webreport/compare/gate.h"

/* The line of the body of a function that alone calls an operator. place: "path(12): step", the line of the `def`;
 * root: the folder of the sources, in which the path is looked for as it is, and without its first folders. *file: the
 * path in root; part of the place. 0: there is no such file, no such line, or several. Nothing outside of root is
 * opened. */
int32_t tp_source_line(struct tp_str *file, const char *root, struct tp_str place, struct tp_str operator,
                       struct tp_arena * arena);

/* Looks up the lines of all changes of a comparison, and of all places of a check; root NULL: nothing. */
void tp_source_lines_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
