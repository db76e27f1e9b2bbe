/* Finds the line of an operator call in the user's source files, because torch records only the line of the function's
 * def. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_LINES_H
#define TP_WEBREPORT_SESSION_SOURCE_LINES_H

#include "webreport/compare/gate/gate.h"
#include "webreport/compare/two/compare.h"

/* A call of an operator in a typical step, to be found in the source. */
struct tp_source_call {
    /* function that makes the call, as "path(12): step". The line is that of the function's def, or the line that ran
     * when the recording began. */
    struct tp_str place;
    struct tp_str operator;
    /* nth: number of this call, from 0, among the `count` calls of the operator in one run of the function; count is 0
     * if unknown */
    uint32_t nth, count;
};

/* Returns the line where a function calls an operator: the only such line, or the line that matches call->nth. If
 * neither exists, returns the line of the def, unless call->place already has it. Returns 0 if the file or a better
 * line is not found.
 *
 * root: folder of the source files. The path is searched below root, first complete, then without its first folders.
 * Files outside root are never opened. *file: the path that was found below root, a part of call->place. */
int32_t tp_source_find_line(struct tp_str *file, const char *root, const struct tp_source_call *call,
                            struct tp_arena *arena);

/* tp_source_lines_add_to_compare finds the lines of all changes in a comparison, tp_source_lines_add_to_check of all
 * locations in a check. root: NULL for the working folder. */
void tp_source_lines_add_to_compare(struct tp_compare *compare, const char *root, struct tp_arena *arena);
void tp_source_lines_add_to_check(struct tp_check *check, const char *root, struct tp_arena *arena);

#endif
