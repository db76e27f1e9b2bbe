/* Contains the flag that this process must no longer be recorded from inside. There are two such cases. In the first
 * case, the program has confined itself, so that a system call or a read of the time stamp counter might kill it
 * (source/host_confine.c, tp_session_end_by_confinement). In the second case, the process is a copy that was not made
 * by the C library's fork. The copy does not contain the recorder's threads. Locks that these threads had in the
 * original process stay locked for ever (tp_session_abandon_in_copy). In both cases the collector does nothing until
 * the process exits. */
#ifndef TP_COLLECTOR_CONFINED_H
#define TP_COLLECTOR_CONFINED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum tp_confined { TP_CONFINED_NOT, TP_CONFINED_COPY, TP_CONFINED_ITSELF };

extern _Atomic int tp_confined_;

/* id of a child between vfork and exec that has confined itself while it uses its parent's memory; 0: no such child */
extern _Atomic pid_t tp_confined_child;

/* Returns whether the collector must do nothing. Any thread may call it, also in a signal handler. */
static inline bool tp_is_confined(void)
{
    return atomic_load_explicit(&tp_confined_, memory_order_relaxed) != TP_CONFINED_NOT;
}

#endif
