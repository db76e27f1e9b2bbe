/* Finds the cause of a blocked thread's wait from its system call, for waits without a kernel stack. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H
#define TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Number of the cause of a wait that was examined without finding a cause. */
enum { TP_PROC_WAIT_UNKNOWN = 255 };

/* Returns the number of the cause of the thread's present wait, above 0. Reads /proc/PID/task/TID/syscall and, for
 * reads and writes, the kind of their file. Returns 0 if the thread runs or the file cannot be read. text: scratch
 * buffer. */
uint8_t tp_proc_wait_cause(struct tp_buf *text, uint32_t pid, uint32_t tid);

/* Returns whether the thread is blocked now. Sets *wait to the number of the cause, as tp_proc_wait_cause returns it.
 * If the system call is not readable, uses the kernel function in which the thread waits. Returns false if the thread
 * runs, is ready, or has exited. */
bool tp_proc_is_waiting(uint8_t *wait, struct tp_buf *text, uint32_t pid, uint32_t tid);

/* Returns the text of a cause, which is one of the texts in wait_causes.h. number: from tp_proc_wait_cause; the text is
 * absent for 0. */
struct tp_str tp_proc_wait_text(uint8_t number);

/* Returns the number of the cause of a wait. call: contents of /proc/PID/task/TID/syscall, such as "0 0x3 ..". file:
 * target of the descriptor that the system call uses; "" if it is unknown or does not exist. */
uint8_t tp_proc_wait_parse(const char *call, const char *file);

#endif
