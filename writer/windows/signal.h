/* Declares sigaction for the signals that exist on Windows: see README.md. Masks have no effect, because handlers run
 * on their own thread. */
#ifndef TP_WRITER_WINDOWS_SIGNAL_H
#define TP_WRITER_WINDOWS_SIGNAL_H

#include <pthread_signal.h>
#include_next <signal.h>
#include <sys/types.h>
#include <time.h>

/* SIGBREAK is sent only by Ctrl+Break and by closing a window */
#define SIGHUP SIGBREAK
#define SIGPIPE 13
#define SIGXFSZ 25

struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *before);

static inline int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

static inline int sigfillset(sigset_t *set)
{
    *set = ~0ull;
    return 0;
}

static inline int sigaddset(sigset_t *set, int number)
{
    *set |= 1ull << number;
    return 0;
}

static inline int sigdelset(sigset_t *set, int number)
{
    *set &= ~(1ull << number);
    return 0;
}

static inline int sigismember(const sigset_t *set, int number)
{
    return (int)(*set >> number & 1);
}

static inline int sigpending(sigset_t *set)
{
    return sigemptyset(set);
}

/* Returns -1, because no signal is ever pending. */
static inline int sigtimedwait(const sigset_t *set, void *info, const struct timespec *timeout)
{
    (void)set, (void)info, (void)timeout;
    return -1;
}

#endif
