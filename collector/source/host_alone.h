/* Calls for which a process must have one thread: what host_confine.c, which stands before syscall, hands on. errno
 * stays. Any thread. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ALONE_H
#define TP_COLLECTOR_SOURCE_HOST_ALONE_H

#include <stdbool.h>

/* Ends threads of ours, when the call is one of those. True: tp_alone_after is to follow it. */
bool tp_alone_before(long number, long first, long second);
/* The same before a call that has another reason. */
bool tp_alone_end(void);
void tp_alone_after(void);

#endif
