/* forks_program: forks 100 times while ranges are recorded.
 *
 * Another thread is in the loader most of the time, like a thread that throws exceptions. A child that waits for the
 * loader's lock would hang, because no thread of the child releases the lock; the exit code is then 9. Each child exits
 * immediately, as without recording. Prints "done" and exits with 7. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int must_end;

static int slow(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    usleep(200);
    return 0;
}

static void *in_loader(void *unused)
{
    while (!must_end)
        dl_iterate_phdr(slow, NULL);
    return unused;
}

static void *busy(void *unused)
{
    volatile double sum = 0;
    while (!must_end)
        sum += 1;
    return unused;
}

/* Returns whether the child exits by itself within a minute. */
static int ends(pid_t child)
{
    enum { MINUTE_MS = 60000 };
    int status = 0;
    for (int waited_ms = 0; waited_ms < MINUTE_MS; waited_ms++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, in_loader, NULL);
    pthread_create(&threads[1], NULL, busy, NULL);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        if (child < 0 || !ends(child))
            _exit(9);
    }
    must_end = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return puts("done") < 0 ? 1 : 7;
}
