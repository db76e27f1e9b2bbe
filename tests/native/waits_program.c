/* waits_program TURNS: computes and waits for several things, one after the other, in turns of uneven length.
 *
 * Prints the time of each kind of wait and the total time by its own clock, ms: "CAUSE=MS .. wall=MS". The causes have
 * the same names as in a recording. The program measures every wait of the thread, so that the times are right on a
 * busy machine, too. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP, PIPE, CHILD, DISK, LOCK, SOCKET, CAUSES };
static const char *const names[CAUSES] = {"sleep", "pipe", "child", "disk", "lock", "socket"};
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t is_held;
static volatile unsigned long sink;
static char page[1 << 16];

static double now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void pause_ms(double ms)
{
    struct timespec t = {0, (long)(ms * 1e6)};
    nanosleep(&t, NULL);
}

static void compute_ms(double ms)
{
    for (double end = now_ms(CLOCK_THREAD_CPUTIME_ID) + ms; now_ms(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (unsigned long i = 0; i < 10000; i++)
            sink += i;
}

static void must(int is_well)
{
    if (!is_well)
        _exit(9);
}

static void *hold(void *ms)
{
    pthread_mutex_lock(&held);
    pthread_barrier_wait(&is_held);
    pause_ms(*(double *)ms);
    pthread_mutex_unlock(&held);
    return NULL;
}

static pid_t later(int to, double ms)
{
    pid_t pid = fork();
    must(pid >= 0);
    if (pid)
        return pid;
    pause_ms(ms);
    _exit(to >= 0 && write(to, "x", 1) != 1);
}

static double took[CAUSES]; /* time of each kind of wait, ms */

/* Waits for about `ms` milliseconds, and adds the measured time to `took`. */
static void wait_for(int cause, int file, double ms)
{
    int ends[2] = {-1, -1};
    pid_t child = 0;
    pthread_t holder;
    char got;
    if (cause == PIPE)
        must(pipe(ends) == 0);
    if (cause == SOCKET)
        must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    if (cause == PIPE || cause == SOCKET || cause == CHILD)
        child = later(ends[1], ms);
    if (cause == LOCK)
        must(pthread_create(&holder, NULL, hold, &ms) == 0);
    for (int i = 0; cause == DISK && i < 4; i++)
        must(write(file, page, sizeof page) == (ssize_t)sizeof page);
    double begin = now_ms(CLOCK_MONOTONIC);
    if (cause == SLEEP)
        pause_ms(ms);
    else if (cause == DISK)
        must(fsync(file) == 0);
    else if (cause == LOCK) { /* waits by futex three times: until `holder` has the lock, releases the lock, exits */
        pthread_barrier_wait(&is_held);
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
        pthread_join(holder, NULL);
    } else if (cause != CHILD)
        must(read(ends[0], &got, 1) == 1);
    double middle = now_ms(CLOCK_MONOTONIC);
    if (child)
        must(waitpid(child, NULL, 0) == child);
    took[cause] += middle - begin;
    took[CHILD] += now_ms(CLOCK_MONOTONIC) - middle;
    close(ends[0]);
    close(ends[1]);
}

int main(int argc, char **argv)
{
    static const double share_ms[CAUSES] = {12, 9, 14, 0, 20, 6};
    double begin = now_ms(CLOCK_MONOTONIC);
    int turns = argc > 1 ? atoi(argv[1]) : 10, file = open("waits.out", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    must(file >= 0 && pthread_barrier_init(&is_held, NULL, 2) == 0);
    for (int turn = 0; turn < turns; turn++) {
        compute_ms(10 + turn % 3);
        for (int cause = 0; cause < CAUSES; cause++)
            wait_for(cause, file, share_ms[cause] * (0.5 + turn * 7 % 10 / 9.0));
    }
    for (int cause = 0; cause < CAUSES; cause++)
        printf("%s=%.1f ", names[cause], took[cause]);
    printf("wall=%.1f\n", now_ms(CLOCK_MONOTONIC) - begin);
    return 0;
}
