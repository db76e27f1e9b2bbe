/* measure [-n RUNS] [-t SECONDS] [-f] COMMAND [ARG..]: runs a command and prints `wall_us peak_kb cpu_us status` of
 * each run, with -f also its page faults.
 *
 * The output of the command goes to /dev/null, its standard error is kept. The command is killed after SECONDS of CPU
 * time (default: no limit), or after an hour. The status is then 137. CPU time is limited because it does not depend on
 * other programs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HANGS_S = 3600 };

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t timeval_us(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static int run_and_measure(char **command, unsigned seconds, bool shows_faults)
{
    struct rusage usage;
    int status;
    int64_t start = now_us();
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        const struct rlimit limit = {seconds, seconds + 5};
        if (seconds)
            setrlimit(RLIMIT_CPU, &limit);
        alarm(HANGS_S); /* an alarm survives exec, as the limit does; the default action of both signals ends the
                         * command */
        execvp(command[0], command);
        _exit(127);
    }
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 2;
    bool is_ended = WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : is_ended ? 137 : 128 + WTERMSIG(status);
    printf("%lld %ld %lld %d", (long long)(now_us() - start), usage.ru_maxrss,
           (long long)(timeval_us(usage.ru_utime) + timeval_us(usage.ru_stime)), code);
    if (shows_faults)
        printf(" %ld", usage.ru_minflt + usage.ru_majflt);
    putchar('\n');
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    int at = 1, runs = 1;
    unsigned seconds = 0;
    bool shows_faults = false;
    while (at + 1 < argc && (!strcmp(argv[at], "-n") || !strcmp(argv[at], "-t") || !strcmp(argv[at], "-f"))) {
        if (argv[at][1] == 'f') {
            shows_faults = true;
            at++;
            continue;
        }
        if (argv[at][1] == 'n')
            runs = atoi(argv[at + 1]);
        else
            seconds = (unsigned)atoi(argv[at + 1]);
        at += 2;
    }
    if (at >= argc) {
        fputs("usage: measure [-n RUNS] [-t SECONDS] [-f] COMMAND [ARG..]\n", stderr);
        return 2;
    }
    while (runs-- > 0)
        if (run_and_measure(argv + at, seconds, shows_faults))
            return 2;
    return 0;
}
