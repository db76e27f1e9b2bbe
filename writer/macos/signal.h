/* Adds sigtimedwait: see README.md. */
#ifndef TP_WRITER_MACOS_SIGNAL_H
#define TP_WRITER_MACOS_SIGNAL_H

#include_next <signal.h>
#include <stddef.h>
#include <time.h>

/* Removes and returns the first pending signal of `set`, or returns -1 if none is pending. Supports only a time limit
 * of zero. */
static inline int sigtimedwait(const sigset_t *set, void *info, const struct timespec *at_once)
{
    sigset_t pending;
    int number;
    (void)info, (void)at_once;
    sigpending(&pending);
    for (int i = 1; i < NSIG; i++)
        if (sigismember(set, i) == 1 && sigismember(&pending, i) == 1) {
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, i);
            return sigwait(&one, &number) == 0 ? number : -1;
        }
    return -1;
}

#endif
