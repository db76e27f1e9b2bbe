/* Whether the program has confined itself, so that a call of the kernel, or a look at the time stamp counter, may end
 * it: from then on nothing here does either, to the end of the process (source/host_confine.c, tp_session_confine). */
#ifndef TP_COLLECTOR_CONFINED_H
#define TP_COLLECTOR_CONFINED_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool tp_confined_;

/* Any thread, also in a signal's handler. */
static inline bool tp_is_confined(void)
{
    return atomic_load_explicit(&tp_confined_, memory_order_relaxed);
}

#endif
