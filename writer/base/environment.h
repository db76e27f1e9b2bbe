/* Reads environment variables; no other module reads them. In a program with more rights than its caller (setuid, file
 * capabilities) all variables are treated as unset. Otherwise the caller could make the program load a library or write
 * a file. */
#ifndef TP_WRITER_BASE_ENVIRONMENT_H
#define TP_WRITER_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Returns the value of a variable; NULL if it is unset, or if tp_environment_is_ignored() is true. The text is borrowed
 * until the program changes the variable. */
const char *tp_environment(const char *name);

/* Returns whether all variables are treated as unset, because the process has more rights than its caller. */
bool tp_environment_is_ignored(void);

#endif
