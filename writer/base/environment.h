/* Environment variables: the one place that reads them. In a program with rights that its caller does not have (setuid,
 * file capabilities) none is there: a library, a folder or a file that one names would be the caller's choice. */
#ifndef TP_WRITER_BASE_ENVIRONMENT_H
#define TP_WRITER_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* The text of a variable; NULL: it is not there, or is not to be trusted. Borrowed, until the program changes it. */
const char *tp_environment(const char *name);

/* Whether none is read: the process has rights that its caller does not have. */
bool tp_environment_is_ignored(void);

#endif
