/* Keeps what was seen from outside when the recorder is killed: each second a copy of the recorder's process (fork) takes
 * the place of the last one and sleeps. When the recorder goes without a word, the copy writes the trace of what it has.
 * The copy costs a fork, and the pages that are written to meanwhile. */
#ifndef TP_COLLECTOR_OUTSIDE_KEEPER_H
#define TP_COLLECTOR_OUTSIDE_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tp_outside_keeper {
    pid_t pid;       /* of the copy; 0 when no copy exists */
    int pipe;        /* its write end closes with the recorder, which wakes the copy; valid while a copy exists */
    int64_t made_ns; /* when the last copy was made */
    int64_t cost_ns; /* what that took */
    int kept_fd;     /* a descriptor that the copy keeps open: the lock of the run; -1: none */
    void (*save)(void *context); /* writes the trace; called in the copy alone. NULL: no copies are made */
    void *context;
};

/* Makes a new copy where one is due. Returns true in a copy whose recorder was killed: the caller ends its recording, calls
 * save and _exit. Else false; a copy that is no longer needed ends here. */
bool tp_outside_keeper_renew(struct tp_outside_keeper *keeper, int64_t now_ns);

/* Ends the copy: the recorder writes the trace itself. */
void tp_outside_keeper_end(struct tp_outside_keeper *keeper);

#endif
