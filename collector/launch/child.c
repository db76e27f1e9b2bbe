/* Runs a program as if its parent did not exist: see child.h.
 *
 * Terminal signals reach the whole foreground process group, including the program. So this process passes on only
 * signals that another process sent to it. All these signals are blocked here and read from a descriptor, so that no
 * handler interrupts other code. */
#include "collector/launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "writer/base/buf.h"
#include "writer/base/input.h"
#include "writer/base/proc_namespace.h"

static const int passed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP,
                                SIGCONT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

static const int asked_to_end[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { ASKED_TO_END = sizeof asked_to_end / sizeof *asked_to_end };
enum {
    PASSED_ON = sizeof passed_on / sizeof *passed_on,
    WATCHED = sizeof((struct tp_child *)0)->watched / sizeof(struct tp_child_watch)
};

void tp_child_fill_signals(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < ASKED_TO_END; i++)
        sigaddset(set, asked_to_end[i]);
}

void tp_child_block_signals(sigset_t *before)
{
    sigset_t asked;
    tp_child_fill_signals(&asked);
    sigprocmask(SIG_BLOCK, &asked, before);
}

int tp_child_pending_signal(void)
{
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < ASKED_TO_END; i++) {
        struct sigaction action;
        bool is_ignored = sigaction(asked_to_end[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
        if (sigismember(&pending, asked_to_end[i]) == 1 && !is_ignored)
            return asked_to_end[i];
    }
    return 0;
}

static void fill_watched_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (int i = 0; i < PASSED_ON; i++)
        sigaddset(set, passed_on[i]);
}

/* Makes a shell run a file without "#!", as execvp does. Returns an errno. */
static int exec_program_by_shell(const struct tp_child *child)
{
    const char *words[1024] = {"sh", child->path};
    size_t count = 1;
    for (; child->argv[count]; count++) {
        if (count + 2 == sizeof words / sizeof *words)
            return E2BIG;
        words[count + 1] = child->argv[count];
    }
    execv("/bin/sh", (char *const *)(uintptr_t)words);
    return errno;
}

/* Runs in the child. Waits for a byte from `go` (-1: does not wait). Then becomes the program, or writes the errno to
 * `report`. */
static void exec_program(struct tp_child *child, const sigset_t *mask, int report, int go)
{
    unsigned char byte = 0;
    if (go >= 0 && read(go, &byte, 1) != 1)
        _exit(127); /* the parent has exited, so no byte arrived */
    child->answer = byte;
    child->prepare(child->given);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(child->path, child->argv);
    int error = errno;
    if (error == ENOEXEC && child->may_run_by_shell)
        error = exec_program_by_shell(child);
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Calls child->forked, and lets the child run the program unless the result is negative. In that case the child
 * exits. */
static void let_child_continue(struct tp_child *child, int go)
{
    int code = child->pid > 0 ? child->forked(child->forked_state, child->pid, &child->refused) : -1;
    unsigned char byte = (unsigned char)code;
    if (code >= 0 && write(go, &byte, 1) == 1)
        return;
    child->start_error = child->pid < 0 ? child->start_error : ECANCELED;
}

/* Passes a signal on to the program. After a stop signal, stops this process too, so that the parent of this process
 * notices the stop. */
static void forward_signal(const struct tp_child *child, const struct signalfd_siginfo *signal)
{
    bool is_sent = signal->ssi_code <= 0 && (pid_t)signal->ssi_pid != child->pid;
    if (is_sent)
        kill(child->pid, (int)signal->ssi_signo);
    if (signal->ssi_signo == SIGTSTP)
        raise(SIGSTOP);
}

/* Returns the value in the line of /proc/PID/status that begins with `key`, or NULL if there is no such line. */
static const char *find_value_in_proc_status(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), "\t ") : NULL;
}

/* Fills *end. Returns how strongly seccomp confines the process: seccomp mode plus number of filters, including the
 * filters of a container (Linux 5.9). */
static long parse_status(const char *text, struct tp_child_end *end)
{
    const char *name = find_value_in_proc_status(text, "Name:"), *user = find_value_in_proc_status(text, "\nUid:"),
               *group = find_value_in_proc_status(text, "\nGid:"),
               *mode = find_value_in_proc_status(text, "\nSeccomp:"),
               *filters = find_value_in_proc_status(text, "\nSeccomp_filters:");
    char *effective;
    end->is_known = name && user && group;
    if (!end->is_known)
        return 0;
    snprintf(end->name, sizeof end->name, "%.*s", (int)strcspn(name, "\n"), name);
    strtoul(user, &effective, 10);
    end->user = (uid_t)strtoul(effective, NULL, 10);
    strtoul(group, &effective, 10);
    end->group = (gid_t)strtoul(effective, NULL, 10);
    return (mode ? strtol(mode, NULL, 10) : 0) + (filters ? strtol(filters, NULL, 10) : 0);
}

static long read_status(pid_t pid, struct tp_child_end *end)
{
    char path[64];
    struct tp_buf text;
    long confinement = 0;
    tp_buf_init(&text, 1 << 16);
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int code = tp_proc_matches_namespace() ? tp_input_read_all(&text, path, TP_INPUT_FILE, NULL) : TP_ENOTFOUND;
    tp_buf_putc(&text, '\0');
    if (code == 0 && !text.failed)
        confinement = parse_status(text.data, end);
    tp_buf_release(&text);
    return confinement;
}

/* Fills child->end after the process has exited, but before the kernel removes it. */
static void read_exit_state(struct tp_child *child)
{
    struct tp_child_end ours = {0};
    siginfo_t over = {0};
    if (waitid(P_PID, (id_t)child->pid, &over, WEXITED | WNOHANG | WNOWAIT) != 0 || over.si_pid != child->pid)
        return;
    if (child->ended)
        child->ended(child->forked_state);
    long confinement = read_status(child->pid, &child->end);
    child->end.is_confined = child->end.is_known && confinement > read_status(getpid(), &ours);
}

static int64_t timeval_us(const struct timeval *time)
{
    return (int64_t)time->tv_sec * 1000000 + time->tv_usec;
}

/* Stores the results of the program if it has exited. Returns whether it has exited. */
static bool store_exit_if_ended(struct tp_child *child)
{
    struct rusage used = {0};
    int status;
    read_exit_state(child);
    pid_t pid = wait4(child->pid, &status, WNOHANG, &used);
    if (pid == 0 || (pid < 0 && errno == EINTR))
        return false;
    if (pid < 0) {
        child->exit_code = 127; /* other code has already waited for the process, so the exit status is lost */
        return true;
    }
    child->end.cpu_us =
        timeval_us(&used.ru_utime); /* excludes time in the kernel, because samples cover only user code */
    child->end.used_us = child->end.cpu_us + timeval_us(&used.ru_stime);
    child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->status = status;
    child->has_core = child->signal && WCOREDUMP(status);
    child->exit_code = child->signal ? 128 + child->signal : WEXITSTATUS(status);
    return true;
}

static void wait_for_program(struct tp_child *child, int signals)
{
    for (;;) {
        struct pollfd fds[1 + WATCHED] = {{.fd = signals, .events = POLLIN}};
        struct signalfd_siginfo signal;
        if (store_exit_if_ended(child))
            return;
        for (int i = 0; i < WATCHED; i++)
            fds[i + 1] =
                (struct pollfd){.fd = child->watched[i].on_ready ? child->watched[i].fd : -1, .events = POLLIN};
        if (poll(fds, 1 + WATCHED, signals >= 0 ? -1 : 50) < 0)
            continue;
        for (int i = 0; i < WATCHED; i++)
            if (fds[i + 1].revents & POLLIN)
                child->watched[i].on_ready(child->watched[i].state);
        if ((fds[0].revents & POLLIN) && read(signals, &signal, sizeof signal) == sizeof signal &&
            signal.ssi_signo != SIGCHLD)
            forward_signal(child, &signal);
    }
}

/* Passes on the signals that were pending before the fork. The terminal sent them before the child existed. */
static void forward_pending_signals(const struct tp_child *child, const sigset_t *pending)
{
    static const struct timespec no_time;
    for (int i = 0; i < ASKED_TO_END; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, asked_to_end[i]);
        if (sigismember(pending, asked_to_end[i]) == 1 && sigtimedwait(&one, NULL, &no_time) > 0)
            kill(child->pid, asked_to_end[i]);
    }
}

static void start_program(struct tp_child *child, const sigset_t *mask, const struct sigaction *had)
{
    int report[2], go[2] = {-1, -1}, error = 0;
    sigset_t pending;
    if (pipe2(report, O_CLOEXEC) != 0 || (child->forked && pipe2(go, O_CLOEXEC) != 0)) {
        child->start_error = errno;
        return;
    }
    sigpending(&pending);
    child->pid = fork();
    if (child->pid == 0) {
        if (child->forked)
            close(go[1]);
        sigaction(SIGCHLD, had, NULL);
        exec_program(child, mask, report[1], go[0]);
    }
    child->start_error = child->pid < 0 ? errno : 0;
    if (child->pid > 0)
        forward_pending_signals(child, &pending);
    close(report[1]);
    if (child->forked) {
        close(go[0]);
        let_child_continue(child, go[1]);
        close(go[1]);
    }
    if (child->pid > 0 && read(report[0], &error, sizeof error) != 0)
        child->start_error = error ? error : errno;
    close(report[0]);
    if (child->start_error && child->pid > 0)
        waitpid(child->pid, NULL, 0);
}

void tp_child_run(struct tp_child *child)
{
    int signals;
    struct signalfd_siginfo late;
    sigset_t all, old;
    struct sigaction by_default = {.sa_handler = SIG_DFL}, had;
    fill_watched_signals(&all);
    /* SIG_DFL, because with SIGCHLD ignored the system would discard the exit status of the child */
    sigaction(SIGCHLD, &by_default, &had);
    sigprocmask(SIG_BLOCK, &all, &old);
    start_program(child, child->mask ? child->mask : &old, &had);
    signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (!child->start_error)
        wait_for_program(child, signals);
    while (signals >= 0 && read(signals, &late, sizeof late) > 0)
        ; /* discards signals that arrived late, because they were meant for the program and must not stop later work of
           * this process */
    if (signals >= 0)
        close(signals);
    sigprocmask(SIG_SETMASK, &old, NULL);
}
