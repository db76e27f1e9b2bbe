/* Implements sigaction for the signals of Windows: see signal.h. The C library has one handler for each signal. */
#include <errno.h>
#include <signal.h>

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (before)
        *before = (struct sigaction){.sa_handler = SIG_DFL};
    if (number != SIGINT && number != SIGTERM && number != SIGBREAK) {
        errno = EINVAL;
        return -1;
    }
    void (*was)(int) = action ? signal(number, action->sa_handler) : SIG_DFL;
    return was == SIG_ERR ? -1 : 0;
}
