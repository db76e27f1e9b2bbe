/* Whole paths and the environment: see README.md. */
#ifndef TP_WRITER_WINDOWS_STDLIB_H
#define TP_WRITER_WINDOWS_STDLIB_H

#include_next <stdlib.h>

/* The path of what is there, with '/'; `to`: PATH_MAX bytes, NULL: allocated. */
char *realpath(const char *path, char *to);

/* As UTF-8: lives as long as the process. */
const char *secure_getenv(const char *name);

#endif
