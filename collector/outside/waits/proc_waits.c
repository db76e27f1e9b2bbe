/* Finds causes of waits from system calls: see proc_waits.h. */
#include "collector/outside/waits/proc_waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/outside/processes/proc_files.h"
#include "collector/outside/waits/wait_causes.h"

enum cause {
    NONE,
    LOCK,
    POLL,
    CHILD,
    SLEEP,
    SIGNAL,
    SOCKET,
    DISK,
    PIPE,
    TERMINAL,
    A_FILE,
    FAULT,
    STOPPED,
    KERNEL_LOCK,
    EXIT,
    BY_FILE,
    CAUSES = BY_FILE
};

static const char *const words[CAUSES] = {"",       "lock",       "poll",    "child",       "sleep",
                                          "signal", "socket",     "disk",    "pipe",        "terminal",
                                          "file",   "page fault", "stopped", "kernel lock", "exit"};

static const struct {
    int number;
    uint8_t cause;
} calls[] = {
    {SYS_futex, LOCK},       {SYS_flock, LOCK},
    {SYS_ppoll, POLL},       {SYS_pselect6, POLL},
    {SYS_epoll_pwait, POLL}, {SYS_wait4, CHILD},
    {SYS_waitid, CHILD},     {SYS_nanosleep, SLEEP},
    {SYS_fsync, DISK},       {SYS_clock_nanosleep, SLEEP},
    {SYS_fdatasync, DISK},   {SYS_rt_sigsuspend, SIGNAL},
    {SYS_sync, DISK},        {SYS_rt_sigtimedwait, SIGNAL},
    {SYS_accept, SOCKET},    {SYS_accept4, SOCKET},
    {SYS_connect, SOCKET},   {SYS_recvfrom, SOCKET},
    {SYS_recvmsg, SOCKET},   {SYS_sendto, SOCKET},
    {SYS_sendmsg, SOCKET},   {SYS_recvmmsg, SOCKET},
    {SYS_read, BY_FILE},     {SYS_write, BY_FILE},
    {SYS_readv, BY_FILE},    {SYS_writev, BY_FILE},
    {SYS_pread64, BY_FILE},  {SYS_pwrite64, BY_FILE},
    {SYS_splice, BY_FILE},   {SYS_sendfile, BY_FILE},
    {SYS_msync, DISK},
#ifdef SYS_poll
    {SYS_poll, POLL},        {SYS_select, POLL},
    {SYS_epoll_wait, POLL},  {SYS_pause, SIGNAL},
#endif
#ifdef SYS_vfork
    {SYS_vfork, CHILD},
#endif
};

static uint8_t wait_cause_of_file(const char *file)
{
    static const struct {
        const char *start;
        uint8_t cause;
    } kinds[] = {{"pipe:", PIPE},        {"socket:", SOCKET},        {"/dev/pts/", TERMINAL},
                 {"/dev/tty", TERMINAL}, {"/dev/console", TERMINAL}, {"anon_inode:", POLL},
                 {"/proc/", A_FILE},     {"/dev/", A_FILE},          {"/", DISK}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tp_str_starts(tp_str_of(file), kinds[i].start))
            return kinds[i].cause;
    return NONE;
}

uint8_t tp_proc_wait_parse(const char *call, const char *file)
{
    char *end;
    long number = strtol(call, &end, 10);
    if (end == call)
        return NONE; /* the file contains "running", so the thread does not wait */
    if (number < 0)
        return FAULT; /* the thread is blocked outside of a system call */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].cause == BY_FILE ? wait_cause_of_file(file) : calls[i].cause;
    return NONE;
}

struct tp_str tp_proc_wait_text(uint8_t number)
{
    return number && number < CAUSES ? tp_str_of(words[number]) : (struct tp_str){0};
}

/* Returns the number of a cause with one of the texts in wait_causes.h. */
static uint8_t wait_number_of_cause(struct tp_str cause)
{
    uint8_t number = cause.len ? CAUSES - 1 : NONE;
    while (number && !tp_str_equal(cause, tp_str_of(words[number])))
        number--;
    return number;
}

/* Returns whether the thread waits, from its state and the kernel function in which it waits. Used for threads whose
 * system call is not readable. */
static bool is_waiting_by_state(uint8_t *wait, struct tp_buf *text, uint32_t pid, uint32_t tid)
{
    char name[64];
    snprintf(name, sizeof name, "task/%" PRIu32 "/stat", tid);
    const char *state = tp_proc_load_file(text, pid, name) ? strrchr(text->data, ')') : NULL;
    if (!state || strlen(state) < 3 || strchr("RX", state[2]))
        return false;
    if (strchr("TtZ", state[2])) {
        *wait = state[2] == 'Z' ? EXIT : STOPPED;
        return true;
    }
    snprintf(name, sizeof name, "task/%" PRIu32 "/wchan", tid);
    if (tp_proc_load_file(text, pid, name))
        *wait = wait_number_of_cause(tp_wait_cause_of_function(tp_str_of(text->data)));
    return true;
}

bool tp_proc_is_waiting(uint8_t *wait, struct tp_buf *text, uint32_t pid, uint32_t tid)
{
    char name[64];
    *wait = NONE;
    snprintf(name, sizeof name, "task/%" PRIu32 "/syscall", tid);
    if (!tp_proc_load_file(text, pid, name))
        return is_waiting_by_state(wait, text, pid, tid);
    if (tp_str_starts(tp_str_of(text->data), "running"))
        return false;
    *wait = tp_proc_wait_cause(text, pid, tid);
    uint8_t stopped = NONE;
    if (*wait == FAULT && is_waiting_by_state(&stopped, text, pid, tid) &&
        stopped) /* a thread outside of a system call can also be stopped, which only its state shows */
        *wait = stopped;
    return true;
}

uint8_t tp_proc_wait_cause(struct tp_buf *text, uint32_t pid, uint32_t tid)
{
    char name[96], file[256] = "";
    snprintf(name, sizeof name, "task/%" PRIu32 "/syscall", tid);
    if (!tp_proc_load_file(text, pid, name))
        return NONE;
    const char *first = strchr(text->data, ' ');
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/fd/%llu", pid, first ? strtoull(first, NULL, 16) : 0);
    ssize_t size = first ? readlink(name, file, sizeof file - 1) : 0;
    file[size > 0 ? size : 0] = '\0';
    return tp_proc_wait_parse(text->data, file);
}
