/* Waits for an already running process that is not our child, until it exits, a time is over, or we receive a signal to
 * stop. */
#ifndef TP_COLLECTOR_LAUNCH_ATTACHED_H
#define TP_COLLECTOR_LAUNCH_ATTACHED_H

#include <stdint.h>

#include "collector/launch/child.h"

struct tp_attached {
    /* set by the caller */
    pid_t pid;
    int64_t duration_ns; /* longest wait; 0: no limit */
    struct tp_child_watch watched;
    /* set by tp_attached_wait */
    bool is_over; /* the process has exited */
    int signal;   /* the signal that asked us to stop; 0: none */
};

/* Blocks the signals that ask to stop, until tp_attached_wait returns, so that none is lost while the recording
 * starts. */
void tp_attached_prepare(void);

/* Waits. Does not affect the process. */
void tp_attached_wait(struct tp_attached *attached);

#endif
