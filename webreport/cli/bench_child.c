/* Runs the commands of `bench`. See bench_child.h. The commands are not in the foreground group of the terminal.
 * Therefore only tracepress gets an interrupt from the terminal, and passes it on once. The signals that ask to stop
 * are blocked and received with sigtimedwait, so that no signal handler interrupts a system call. */
#include "webreport/cli/bench_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/launch/child.h"
#include "webreport/cli/cmd.h"

/* time limit for the exit of a command after a signal, seconds; a recorded command writes its trace in this time */
enum { EXIT_TIMEOUT_S = 10 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void fill_signal_set(sigset_t *set)
{
    tp_child_fill_signals(set);
    sigaddset(set, SIGCHLD);
}

void tp_bench_child_block_signals(void)
{
    sigset_t all;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    fill_signal_set(&all);
    /* SIGCHLD must not be ignored, because the exit status of a child would be lost */
    sigaction(SIGCHLD, &by_default, NULL);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

void tp_bench_child_unblock_signals(void)
{
    sigset_t asked;
    tp_child_fill_signals(&asked);
    sigprocmask(SIG_UNBLOCK, &asked, NULL);
}

int tp_bench_child_pending_signal(void)
{
    sigset_t asked;
    tp_child_fill_signals(&asked);
    int number = sigtimedwait(&asked, NULL, &(struct timespec){0, 0});
    return number > 0 ? number : 0;
}

/* ---- in the child process ---- */

static int redirect_streams(const char *output)
{
    int in = open("/dev/null", O_RDWR | O_CLOEXEC);
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 ? 0 : -1;
}

static void set_environment(const struct tp_bench_child *child)
{
    char number[16];
    if (!child->side)
        return;
    snprintf(number, sizeof number, "%u", child->number);
    setenv("TRACEPRESS_BENCH_SIDE", child->side, 1);
    setenv("TRACEPRESS_BENCH_RUN", number, 1);
}

/* Executes the command. On failure, writes the error number to `report`. */
static void exec_command(const struct tp_bench_child *child, pid_t parent, int report)
{
    sigset_t all;
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* stops this process if tracepress is killed */
    setpgid(0, 0);
    fill_signal_set(&all);
    tp_signals_restore();
    if (getppid() == parent && redirect_streams(child->output) == 0 && (!child->folder || chdir(child->folder) == 0)) {
        set_environment(child);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        execvp(child->argv[0], child->argv);
    }
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* ---- in the parent process ---- */

/* Waits until the command exits, but does not reap it, so that the system does not reuse the id of its process
 * group. */
static void wait_for_exit(struct tp_bench_child *child, pid_t pid)
{
    sigset_t all;
    int64_t patience_end_ns = INT64_MAX;
    fill_signal_set(&all);
    for (;;) {
        siginfo_t over = {0};
        if (waitid(P_PID, (id_t)pid, &over, WEXITED | WNOHANG | WNOWAIT) != 0 || over.si_pid == pid)
            return;
        int number = sigtimedwait(&all, NULL, &(struct timespec){1, 0});
        if (now_ns() > patience_end_ns)
            kill(-pid, SIGKILL);
        if (number <= 0 || number == SIGCHLD)
            continue;
        /* a second signal ends the wait, so that the command is then killed */
        patience_end_ns = child->stop_signal ? 0 : now_ns() + (int64_t)EXIT_TIMEOUT_S * 1000000000;
        child->stop_signal = child->stop_signal ? child->stop_signal : number;
        kill(-pid, number);
    }
}

static int64_t timeval_ns(const struct timeval *time)
{
    return ((int64_t)time->tv_sec * 1000000 + time->tv_usec) * 1000;
}

static void store_exit_and_times(struct tp_bench_child *child, pid_t pid)
{
    struct rusage used = {0};
    int status = 0;
    kill(-pid, SIGKILL); /* kills the remaining processes of the command's group */
    while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    child->cpu_ns = timeval_ns(&used.ru_utime) + timeval_ns(&used.ru_stime);
    child->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void tp_bench_child_run(struct tp_bench_child *child)
{
    int report[2];
    pid_t parent = getpid();
    if (pipe2(report, O_CLOEXEC) != 0) {
        child->start_error = errno;
        return;
    }
    int64_t started_ns = now_ns();
    pid_t pid = fork();
    if (pid == 0)
        exec_command(child, parent, report[1]);
    close(report[1]);
    child->start_error = pid < 0 ? errno : 0;
    if (pid > 0 && read(report[0], &child->start_error, sizeof child->start_error) < 0)
        child->start_error = errno;
    close(report[0]);
    if (pid < 0)
        return;
    wait_for_exit(child, pid);
    child->wall_ns = now_ns() - started_ns;
    store_exit_and_times(child, pid);
}
