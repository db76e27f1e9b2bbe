/* Keeps what was seen from outside when the recorder is killed.
 *
 * Each second the recorder forks a copy of itself, which sleeps, and ends the copy before. When the recorder is
 * killed, the copy wakes and writes the trace of all that was seen until the fork. A copy costs the fork and a copy
 * of each page that the recorder changes in the second after it. */
#ifndef TP_COLLECTOR_OUTSIDE_KEEPER_H
#define TP_COLLECTOR_OUTSIDE_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tp_outside_keeper {
    pid_t pid;       /* of the copy; 0 when no copy exists */
    int pipe;        /* write end of a pipe to the copy, which wakes when it closes; valid while a copy exists */
    int64_t made_ns; /* when the last copy was made */
    int64_t cost_ns; /* time that it took to make it */
    int kept_fd;     /* a descriptor that the copy keeps open: the lock of the run; -1: none */
    void (*save)(void *context); /* writes the trace; called in the copy alone. NULL: no copies are made */
    void *context;
};

/* Makes a new copy when one is due, and returns false. Returns true in a copy whose recorder was killed: the caller
 * then ends its recording and calls save and _exit. A copy that is no longer needed exits in here. */
bool tp_outside_keeper_renew(struct tp_outside_keeper *keeper, int64_t now_ns);

/* Ends the copy, because the recorder writes the trace itself. */
void tp_outside_keeper_end(struct tp_outside_keeper *keeper);

#endif
