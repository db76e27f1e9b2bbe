/* Lists the parts of files: the processes or ranks in one input file (input_part.h). */
#ifndef TP_WEBREPORT_TRACE_FILE_PARTS_H
#define TP_WEBREPORT_TRACE_FILE_PARTS_H

#include <stdbool.h>

#include "webreport/trace/input_part.h"

/* Appends the parts of a regular file to `parts`, elements: struct tp_input_part. Appends nothing for a file whose
 * format has no parts or that cannot be read; the reader explains the reason later. */
void tp_file_parts_find(struct tp_vec *parts, const char *path);

/* Returns true if a regular file is a trace, by its first bytes and, for a format with parts, by its contents.
 * Temporary data is in `arena`. */
bool tp_file_parts_is_trace(const char *path, struct tp_arena *arena);

/* Returns why a regular file is not a trace, as a description of the file; NULL if it may be one or cannot be read. The
 * text is static or in `arena`. */
const char *tp_file_parts_refusal(const char *path, struct tp_arena *arena);

#endif
