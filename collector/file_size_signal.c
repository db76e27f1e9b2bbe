/* Blocks SIGXFSZ while the collector writes: see file_size_signal.h. */
#include "collector/file_size_signal.h"

#include <errno.h>
#include <time.h>

static sigset_t file_size_signal_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void tp_file_size_signal_block(struct tp_file_size_signal *hold)
{
    const sigset_t limit = file_size_signal_set();
    sigset_t pending;
    sigpending(&pending);
    hold->was_pending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &limit, &hold->old);
}

void tp_file_size_signal_unblock(const struct tp_file_size_signal *hold)
{
    const sigset_t limit = file_size_signal_set();
    const struct timespec none = {0};
    int why = errno;
    if (!hold->was_pending)
        sigtimedwait(&limit, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &hold->old, NULL);
    errno = why;
}
