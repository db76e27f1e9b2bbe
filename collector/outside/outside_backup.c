/* Maintains a copy of the recorder, which survives the recorder: see outside_backup.h. */
#include "collector/outside/outside_backup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_NS = 1000000000, COST_SHARE = 100, FIRST_FD = 3, MOST_FDS = 4096 };

static int64_t monotonic_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * EVERY_NS + time.tv_nsec;
}

static void close_descriptors(unsigned first, unsigned last)
{
    if (first > last)
        return;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, last, 0) == 0)
        return;
#endif
    for (unsigned fd = first; fd <= last && fd < MOST_FDS; fd++)
        close((int)fd);
}

/* Closes all descriptors except `one` and `other`. In the copy, open descriptors would keep the kernel's events active,
 * and the peers of open sockets would wait. */
static void close_other_descriptors(int one, int other)
{
    unsigned low = (unsigned)(one < other || other < 0 ? one : other), high = (unsigned)(one < other ? other : one);
    close_descriptors(FIRST_FD, low - 1);
    if (other >= 0 && high > low)
        close_descriptors(low + 1, high - 1);
    close_descriptors(high + 1, UINT32_MAX);
}

/* Redirects the standard streams of the copy to /dev/null. Otherwise a reader of the recorder's output would wait for
 * the exit of the copy. */
static void redirect_streams(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int fd = 0; nothing >= 0 && fd < FIRST_FD; fd++)
        dup2(nothing, fd);
}

/* Sleeps in the copy until the pipe from the recorder is closed. Returns if the recorder was killed. Exits if the
 * recorder has made a newer copy. */
static void wait_in_copy_for_parent_end(int pipe, int kept)
{
    char byte;
    redirect_streams();
    close_other_descriptors(pipe, kept);
    while (read(pipe, &byte, 1) > 0)
        _exit(0);
    close(pipe);
}

static void end_copy(pid_t pid, int pipe)
{
    char byte = 0;
    if (write(pipe, &byte, 1) == 1)
        waitpid(pid, NULL, 0);
    close(pipe);
}

bool tp_outside_backup_renew(struct tp_outside_backup *keeper, int64_t now_ns)
{
    int ends[2];
    int64_t pause_ns = keeper->cost_ns * COST_SHARE > EVERY_NS ? keeper->cost_ns * COST_SHARE : EVERY_NS;
    if (!keeper->save || now_ns - keeper->copied_ns < pause_ns || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    int64_t begin_ns = monotonic_ns();
    pid_t pid = fork();
    if (pid == 0) {
        wait_in_copy_for_parent_end(ends[0], keeper->kept_fd);
        return true;
    }
    close(ends[0]);
    keeper->copied_ns = now_ns;
    keeper->cost_ns = monotonic_ns() - begin_ns;
    if (pid < 0) {
        close(ends[1]);
        return false;
    }
    tp_outside_backup_end(keeper);
    keeper->pid = pid;
    keeper->pipe = ends[1];
    return false;
}

void tp_outside_backup_end(struct tp_outside_backup *keeper)
{
    if (keeper->pid > 0)
        end_copy(keeper->pid, keeper->pipe);
    keeper->pid = 0;
}
