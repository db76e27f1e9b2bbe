/* windows_program SECONDS HOW: calls a 2 ms function repeatedly for SECONDS. Every 330 ms it writes to a pipe that
 * another thread reads. Built with -finstrument-functions.
 *
 * HOW: run; fork (a child forked in the middle of a window does the same); leave (calls exit in the middle of a
 * window); kill (dies by SIGKILL in the middle of a window). A window is the first 300 ms of each second. Prints the
 * number of calls within windows, except near their edges. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000, LENGTH_MS = 300, EDGE_MS = 20, WORK_MS = 2, TALK_MS = 330 };

#define PLAIN __attribute__((no_instrument_function))

static int talk[2];

PLAIN static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / NS_PER_MS;
}

__attribute__((noinline)) static void work(void)
{
    const struct timespec pause = {0, (long)WORK_MS * NS_PER_MS};
    nanosleep(&pause, NULL);
}

PLAIN static void *listen_to(void *unused)
{
    char heard;
    while (read(talk[0], &heard, 1) == 1)
        ;
    return unused;
}

/* Calls work() until the time `until`. Returns the number of calls within windows, except near their edges. */
PLAIN static unsigned run(long long until, int is_ended_inside)
{
    unsigned inside = 0;
    long long told = now_ms();
    for (long long now = told; now < until || is_ended_inside; now = now_ms()) {
        long long at = now % 1000;
        work();
        inside += at >= EDGE_MS && now_ms() - now + at < LENGTH_MS - EDGE_MS;
        if (now >= told + TALK_MS && write(talk[1], "", 1) == 1)
            told = now;
        if (now >= until && at > LENGTH_MS / 3 && at < LENGTH_MS / 2)
            break;
    }
    return inside;
}

PLAIN int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "run";
    long long until = now_ms() + (long long)(atof(argc > 1 ? argv[1] : "3") * 1000);
    int is_forked = strcmp(how, "fork") == 0, status = 0;
    pthread_t listener;
    if (pipe(talk) != 0)
        return 1;
    if (is_forked) {
        run(0, 1);
        is_forked = fork() > 0 ? 1 : -1;
    }
    if (pthread_create(&listener, NULL, listen_to, NULL) != 0)
        return 1;
    unsigned inside = run(until, strcmp(how, "run") != 0 && !is_forked);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (is_forked > 0 && (wait(&status) < 0 || status != 0))
        return 1;
    printf("%u\n", inside);
    exit(0);
}
