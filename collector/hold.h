/* Protects the program from SIGXFSZ, which kills a process that writes beyond RLIMIT_FSIZE. During the collector's own
 * writes this thread blocks the signal and discards it afterwards, so the write fails with EFBIG and the program
 * continues. */
#ifndef TP_COLLECTOR_HOLD_H
#define TP_COLLECTOR_HOLD_H

#include <signal.h>
#include <stdbool.h>

struct tp_hold {
    sigset_t old;
    bool was_pending; /* a SIGXFSZ of the program was already pending; it is not discarded */
};

/* Block and unblock the signal in this thread. A thread that is created between the two calls keeps it blocked for its
 * whole life. */
void tp_hold_begin(struct tp_hold *hold);
void tp_hold_end(const struct tp_hold *hold);

#endif
