/* Lines of the user's source files: torch tells the line of a function's `def`, the source which line of it is meant.
 */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/gate/gate.h"
#include "webreport/compare/two/compare.h"

/* A call of an operator, as a usual step has it. */
struct tp_source_call {
    struct tp_str place; /* "path(12): step": the line of the def, or where it was when the recording began */
    struct tp_str operator;
    uint32_t nth, count; /* the one of that number, from 0, of so many there in each pass of the function; count 0: unknown */
};

/* The line of a function that calls an operator: the only one, or by the number of the call. root: the folder of the
 * sources, in which the path is looked for as it is, and without its first folders. *file: the path in root; part of
 * the place. Where no line is found, that of the def if the place has another one; 0: there is no such file, or nothing
 * better than the place. Nothing outside of root is opened. */
int32_t tp_source_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                       struct tp_arena *arena);

/* Looks up the lines of all changes of a comparison, and of all places of a check. root NULL: the working folder. */
void tp_source_lines_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
