/* Declares realpath and secure_getenv: see README.md. */
#ifndef TP_WRITER_WINDOWS_STDLIB_H
#define TP_WRITER_WINDOWS_STDLIB_H

#include_next <stdlib.h>

/* Returns the path of an existing file, with '/' between folders. to: room for PATH_MAX bytes, or NULL to allocate the
 * result. */
char *realpath(const char *path, char *to);

/* Returns the value of the variable as UTF-8, valid for the life of the process. */
const char *secure_getenv(const char *name);

#endif
