/* Finds the line of a call in the user's source files: torch records only the line of a function's `def`. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/gate/gate.h"
#include "webreport/compare/two/compare.h"

/* A call of an operator in a usual step. */
struct tp_source_call {
    struct tp_str place; /* "path(12): step": the line of the def, or the line that ran when the recording began */
    struct tp_str operator;
    /* number of the call, from 0, among the `count` calls in each pass of the function; count 0: unknown */
    uint32_t nth, count;
};

/* Returns the line of a function that calls an operator: the only such line, or the line found by the number of the
 * call; else the line of the def if the place has another line; 0: no such file, or no better line than that of the
 * place. root: the folder of the sources; the path is searched in it whole and without its first folders. *file: the
 * path in root, a part of the place. Never opens a file outside of root. */
int32_t tp_source_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                       struct tp_arena *arena);

/* Finds the lines of all changes of a comparison, and of all places of a check. root NULL: the working folder. */
void tp_source_lines_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
