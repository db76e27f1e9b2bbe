/* Replaces pthread_sigmask, because threads on Windows have no signal mask: see README.md. */
#ifndef TP_WRITER_WINDOWS_PTHREAD_SIGNAL_H
#define TP_WRITER_WINDOWS_PTHREAD_SIGNAL_H

#include <sys/types.h>

typedef _sigset_t sigset_t; /* a set of signals in 64 bits */

#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how, (void)set;
    if (before)
        *before = 0;
    return 0;
}

#endif
