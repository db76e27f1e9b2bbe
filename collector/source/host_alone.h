/* Pauses the recorder's threads around system calls that the kernel allows only in a process with a single thread.
 * host_confine.c, which intercepts syscall, calls these functions. They keep errno. Any thread may call them. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ALONE_H
#define TP_COLLECTOR_SOURCE_HOST_ALONE_H

#include <stdbool.h>

/* Ends our threads if the call is one of those. If it returns true, tp_alone_after must follow the call. */
bool tp_alone_before(long number, long first, long second);
/* Ends our threads for another call. If it returns true, tp_alone_after must follow. */
bool tp_alone_end(void);
void tp_alone_after(void);

#endif
