/* Edits the value of LD_PRELOAD: a list of libraries, separated by colons or spaces, which the loader loads before a
 * program's own libraries. */
#ifndef TP_WRITER_BASE_PRELOAD_H
#define TP_WRITER_BASE_PRELOAD_H

#include <stddef.h>

/* Writes the list `before` (may be NULL) to `value`, with `library` once at its beginning. Only sanitizer runtimes come
 * before `library`, because they must be first. Returns TP_OK, or TP_ELIMIT if `size` bytes are too few. Allocates
 * nothing. */
int tp_preload_list_add(char *value, size_t size, const char *before, const char *library);

/* Writes the list `before` to `value`, without `library`. The result is never longer than `before`. */
void tp_preload_list_remove(char *value, const char *before, const char *library);

#endif
