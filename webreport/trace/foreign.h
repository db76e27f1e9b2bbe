/* Names files of other tools by how they begin, so that a refusal can say what the file is and what reads it. */
#ifndef TP_WEBREPORT_TRACE_FOREIGN_H
#define TP_WEBREPORT_TRACE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* Returns what another tool's file is and what to do with it: one line of static text without the file's name, such as
 * "an Nsight Compute report: open it with ncu-ui". NULL when neither the first bytes nor the name are known.
 * bytes: the first `size` bytes of the file, inflated once when it is gzip. name: the file's name or path; NULL for
 * standard input. */
const char *tp_foreign_of_head(const void *bytes, size_t size, const char *name);

/* Returns whether other tools give their profiles such a name. */
bool tp_foreign_is_name(const char *name);

/* Returns the offset of the first byte at or after `at` that is not JSON white space, or `size`. */
size_t tp_foreign_skip_space(const char *text, size_t size, size_t at);

/* Returns whether a JSON text has the key, written with its quotes (`"ph"`), followed by a colon or by the end of the
 * text. The text may be cut anywhere. */
bool tp_foreign_has_key(const char *text, size_t size, const char *key);

#endif
