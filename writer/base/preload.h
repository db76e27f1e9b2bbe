/* The value of LD_PRELOAD: libraries by colons or blanks, which the loader puts before those of a program. */
#ifndef TP_WRITER_BASE_PRELOAD_H
#define TP_WRITER_BASE_PRELOAD_H

#include <stddef.h>

/* Writes `before` (NULL: none) with `library` in front, once; behind the runtimes of sanitizers only, which end a
 * program in which they are not first. TP_OK, or TP_ELIMIT: `size` bytes are too few. No memory is taken. */
int tp_preload_with(char *value, size_t size, const char *before, const char *library);

/* Writes `before` without `library`; never longer than it was. */
void tp_preload_without(char *value, const char *before, const char *library);

#endif
