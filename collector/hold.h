/* RLIMIT_FSIZE kills a program that writes beyond it, by SIGXFSZ. Around the collector's own writes that signal is held
 * back in this thread, and taken away when it came: the write fails with EFBIG, and the program goes on. */
#ifndef TP_COLLECTOR_HOLD_H
#define TP_COLLECTOR_HOLD_H

#include <signal.h>
#include <stdbool.h>

struct tp_hold {
    sigset_t old;
    bool was_pending; /* the program's own; it stays */
};

/* Threads that are made meanwhile hold it back for their whole life. */
void tp_hold_begin(struct tp_hold *hold);
void tp_hold_end(const struct tp_hold *hold);

#endif
