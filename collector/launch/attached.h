/* A process that runs already and is none of our children: waiting until it is over, or we are asked to end. */
#ifndef TP_COLLECTOR_LAUNCH_ATTACHED_H
#define TP_COLLECTOR_LAUNCH_ATTACHED_H

#include <stdint.h>

#include "collector/launch/child.h"

struct tp_attached {
    /* given */
    pid_t pid;
    int64_t duration_ns; /* at most; 0: no limit */
    struct tp_child_watch watched;
    /* told */
    bool is_over; /* the process is */
    int signal;   /* which one asked us to end; 0: none */
};

/* The signals that ask to end wait until tp_attached_wait takes them, from here to its end: so none is lost that comes
 * while the recording begins. */
void tp_attached_prepare(void);

/* Waits. The process is left alone. */
void tp_attached_wait(struct tp_attached *attached);

#endif
