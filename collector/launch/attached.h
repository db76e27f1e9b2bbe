/* Waits for a running process that is not a child of this process. The wait ends when the process exits, a time is
 * over, or this process receives a signal to stop. */
#ifndef TP_COLLECTOR_LAUNCH_ATTACHED_H
#define TP_COLLECTOR_LAUNCH_ATTACHED_H

#include <stdint.h>

#include "collector/launch/child.h"

struct tp_attached {
    /* The caller sets the following members. */
    pid_t pid;
    int64_t duration_ns; /* longest wait in ns; 0: no limit */
    struct tp_child_watch watched;
    /* tp_attached_wait sets the following members. */
    bool is_over; /* true if the process has exited */
    int signal;   /* number of the signal that asked this process to stop; 0: no signal */
};

/* Blocks the signals that ask this process to stop, until tp_attached_wait returns. Therefore no signal is lost while
 * the recording starts. */
void tp_attached_prepare(void);

/* Waits for the process and does not affect it. */
void tp_attached_wait(struct tp_attached *attached);

#endif
