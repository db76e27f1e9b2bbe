/* Finds out whether process ids in /proc belong to our PID namespace. In a PID namespace without its own /proc, they
 * belong to the outer namespace, where the same number means another process. Any thread; allocates nothing. */
#ifndef TP_WRITER_BASE_PROC_NAMESPACE_H
#define TP_WRITER_BASE_PROC_NAMESPACE_H

#include <stdbool.h>

/* Returns whether the process ids in /proc belong to our PID namespace. Returns false without /proc. */
bool tp_proc_matches_namespace(void);

#endif
