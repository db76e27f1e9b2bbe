/* Blocks SIGXFSZ during our own writes: see hold.h. */
#include "collector/hold.h"

#include <errno.h>
#include <time.h>

static sigset_t limit_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void tp_hold_begin(struct tp_hold *hold)
{
    const sigset_t limit = limit_signal();
    sigset_t pending;
    sigpending(&pending);
    hold->was_pending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &limit, &hold->old);
}

void tp_hold_end(const struct tp_hold *hold)
{
    const sigset_t limit = limit_signal();
    const struct timespec none = {0};
    int why = errno;
    if (!hold->was_pending)
        sigtimedwait(&limit, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &hold->old, NULL);
    errno = why;
}
