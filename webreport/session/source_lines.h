/* Finds the line of a call in the user's source files. torch records only the line of the function's def. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/gate/gate.h"
#include "webreport/compare/two/compare.h"

/* A call of an operator in a typical step, to be found in the source. */
struct tp_source_call {
    /* function that makes the call: "path(12): step", with the line of its def, or the line that ran when the
     * recording began */
    struct tp_str place;
    struct tp_str operator;
    /* number of the call, from 0, among the `count` calls that each run of the function makes; count is 0 if unknown */
    uint32_t nth, count;
};

/* Returns the line where a function calls an operator: the only such line, or the line found by the number of the
 * call. Otherwise returns the line of the def if the place has another line. Returns 0 if there is no such file, or
 * no better line than that of the place.
 *
 * root: folder of the source files. The path is searched below root, then without its first folders. Files outside
 * of root are never opened. *file: set to the path below root, a part of the place. */
int32_t tp_source_find_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                            struct tp_arena *arena);

/* Finds the lines of all changes of a comparison. tp_source_lines_add_to_check does so for all places of a check. root:
 * NULL for the working folder. */
void tp_source_lines_add_to_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_add_to_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
