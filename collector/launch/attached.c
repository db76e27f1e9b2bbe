/* Waits for a process that is not a child of this one: see attached.h. */
#include "collector/launch/attached.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* POLL_INTERVAL_MS: interval of polling if the kernel has no pidfd or the wait has a limit, ms */
enum { POLL_INTERVAL_MS = 100, MS_NS = 1000000 };

static sigset_t before;

void tp_attached_prepare(void)
{
    tp_child_block_signals(&before);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 * MS_NS + now.tv_nsec;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

void tp_attached_wait(struct tp_attached *attached)
{
    sigset_t asked;
    struct signalfd_siginfo signal;
    int64_t begin_ns = now_ns();
    tp_child_fill_signals(&asked);
    int signals = signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK);
    int process = (int)syscall(SYS_pidfd_open, attached->pid, 0);
    while (!attached->is_over && !attached->signal &&
           (!attached->duration_ns || now_ns() - begin_ns < attached->duration_ns)) {
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                               {.fd = process, .events = POLLIN},
                               {.fd = attached->watched.fd, .events = POLLIN}};
        if (poll(fds, sizeof fds / sizeof *fds, POLL_INTERVAL_MS) < 0)
            continue;
        if (fds[2].revents & POLLIN)
            attached->watched.on_ready(attached->watched.state);
        if ((fds[0].revents & POLLIN) && read(signals, &signal, sizeof signal) == sizeof signal)
            attached->signal = (int)signal.ssi_signo;
        attached->is_over = (fds[1].revents & POLLIN) || is_gone(attached->pid);
    }
    if (signals >= 0)
        close(signals);
    if (process >= 0)
        close(process);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
