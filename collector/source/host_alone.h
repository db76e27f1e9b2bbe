/* Stops the recorder's threads during system calls that the kernel allows only in a process with a single thread.
 * host_confine.c, which intercepts syscall, calls these functions. They do not change errno. Any thread may call
 * them. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ALONE_H
#define TP_COLLECTOR_SOURCE_HOST_ALONE_H

#include <stdbool.h>

/* Ends the recorder's threads if the kernel allows the call only with a single thread. Returns whether the caller must
 * call tp_alone_end_call after the call. */
bool tp_alone_begin_call(long number, long first, long second);
/* Ends the recorder's threads before any other action that needs a single thread. Returns whether the caller must call
 * tp_alone_end_call afterwards. */
bool tp_alone_end_threads(void);
void tp_alone_end_call(void);

#endif
