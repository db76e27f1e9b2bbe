/* Whether the process may still be recorded from inside. It may not when the program has confined itself, so that a
 * call of the kernel, or a look at the time stamp counter, may end it (source/host_confine.c, tp_session_confine); nor
 * in a copy of the process that was made behind the C library's back, where our threads are not, and what they locked
 * stays locked (tp_session_abandon). From then on nothing here does anything, to the end of the process. */
#ifndef TP_COLLECTOR_CONFINED_H
#define TP_COLLECTOR_CONFINED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum tp_confined { TP_CONFINED_NOT, TP_CONFINED_COPY, TP_CONFINED_ITSELF };

extern _Atomic int tp_confined_;

/* A child between vfork and exec that has confined itself, in its parent's memory; 0: none did. */
extern _Atomic pid_t tp_confined_child;

/* Any thread, also in a signal's handler. */
static inline bool tp_is_confined(void)
{
    return atomic_load_explicit(&tp_confined_, memory_order_relaxed) != TP_CONFINED_NOT;
}

#endif
