/* Stops the recorder's threads during system calls that the kernel allows only in a process with a single thread.
 * host_confine.c, which intercepts syscall, calls these functions. They do not change errno. Any thread may call
 * them. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ALONE_H
#define TP_COLLECTOR_SOURCE_HOST_ALONE_H

#include <stdbool.h>

/* Ends the recorder's threads if the kernel allows the call only with a single thread. Returns whether the caller must
 * call tp_alone_restart_recorder_threads after the call. */
bool tp_alone_stop_threads_if_required(long number, long first, long second);
/* Ends the recorder's threads before any other action that needs a single thread. Returns whether the caller must call
 * tp_alone_restart_recorder_threads afterwards. */
bool tp_alone_stop_recorder_threads(void);
void tp_alone_restart_recorder_threads(void);

#endif
