/* What a blocked thread waits for, by the system call that it is in. For waits without a stack of the kernel. */
#ifndef TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H
#define TP_COLLECTOR_OUTSIDE_WAITS_PROC_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* The number of a wait that was looked at and whose cause is not known. */
enum { TP_PROC_WAIT_NOT_TOLD = 255 };

/* Returns the cause of the thread's present wait as a number above 0, from /proc/PID/task/TID/syscall and, for reads
 * and writes, from the kind of their file. 0 if the thread runs or the file cannot be read. `text`: scratch memory. */
uint8_t tp_proc_wait(struct tp_buf *text, uint32_t pid, uint32_t tid);

/* True where the thread is blocked now, with *wait as above: where its call may not be seen, by the kernel's
 * function that it waits in, where that may be. False: it runs or could, or is over. */
bool tp_proc_is_waiting(uint8_t *wait, struct tp_buf *text, uint32_t pid, uint32_t tid);

/* The words of a number, as wait_causes.h has them; absent: of 0. */
struct tp_str tp_proc_wait_words(uint8_t number);

/* The number by what the file of /proc says: "0 0x3 .."; file: where the descriptor of the call points to, "" where
 * it is of none or not known. */
uint8_t tp_proc_wait_of(const char *call, const char *file);

#endif
