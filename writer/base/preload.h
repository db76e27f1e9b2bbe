/* Edits the value of LD_PRELOAD: libraries separated by colons or spaces, which the loader loads before those of a
 * program. */
#ifndef TP_WRITER_BASE_PRELOAD_H
#define TP_WRITER_BASE_PRELOAD_H

#include <stddef.h>

/* Writes `before` (NULL: none) with `library` once at the beginning, but after the runtimes of sanitizers, which must
 * come first. Returns TP_OK, or TP_ELIMIT if `size` bytes are too few. Allocates nothing. */
int tp_preload_with(char *value, size_t size, const char *before, const char *library);

/* Writes `before` without `library`; the result is never longer. */
void tp_preload_without(char *value, const char *before, const char *library);

#endif
