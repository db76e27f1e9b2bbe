/* Finds out what a blocked thread waits for from its system call, for waits without a kernel stack. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H
#define TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Number of a wait that was examined and whose cause is unknown. */
enum { TP_PROC_WAIT_UNKNOWN = 255 };

/* Returns the cause of the thread's present wait as a number above 0, from /proc/PID/task/TID/syscall and, for reads
 * and writes, from the kind of their file. Returns 0 if the thread runs or the file cannot be read. text: scratch
 * memory. */
uint8_t tp_proc_wait(struct tp_buf *text, uint32_t pid, uint32_t tid);

/* Returns whether the thread is blocked now, and sets *wait as above. If the system call is not readable, uses the
 * kernel function in which it waits, if that is readable. Returns false if it runs, is ready, or has exited. */
bool tp_proc_is_waiting(uint8_t *wait, struct tp_buf *text, uint32_t pid, uint32_t tid);

/* Returns the words of a number, as in wait_causes.h; absent for 0. */
struct tp_str tp_proc_wait_words(uint8_t number);

/* Returns the number for the contents of the /proc file: "0 0x3 ..". file: target of the call's descriptor; "" if none
 * exists or it is unknown. */
uint8_t tp_proc_wait_of(const char *call, const char *file);

#endif
