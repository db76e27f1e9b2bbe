/* Finds the line of a call in the user's source files, because torch only records the line of the function's `def`. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/gate/gate.h"
#include "webreport/compare/two/compare.h"

/* A call of an operator in a typical step. */
struct tp_source_call {
    /* "path(12): step" with the line of the def, or with the line that ran when the recording began */
    struct tp_str place;
    struct tp_str operator;
    /* the call is number `nth`, from 0, of `count` calls in each pass of the function; count is 0 if unknown */
    uint32_t nth, count;
};

/* Returns the line at which a function calls an operator. It is the only such line, or the line found by the number of
 * the call. Otherwise it is the line of the def if the place has another line. Returns 0 if there is no such file, or
 * no better line than that of the place. root: folder of the source files; the path is searched below root, first as a
 * whole and then without its first folders. *file: the path below root, a part of the place. Never opens a file outside
 * of root. */
int32_t tp_source_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                       struct tp_arena *arena);

/* Finds the lines of all changes of a comparison, and of all places of a check. root: NULL selects the working folder.
 */
void tp_source_lines_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
