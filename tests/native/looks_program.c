/* looks_program: twelve threads work for 20 to 130 ms of their own time each, with pauses; the thirteenth waits for them.
 * Prints the nanoseconds that all have run, as the kernel counts them for the process. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 12 };

static int64_t own_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *work(void *number)
{
    while (own_ms() < 20 + 10 * (intptr_t)number) {
        for (volatile int i = 0; i < 50000; i++)
            ;
        usleep(500);
    }
    return NULL;
}

static int64_t ns_of(const struct timeval *time)
{
    return ((int64_t)time->tv_sec * 1000000 + time->tv_usec) * 1000;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct rusage used;
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    getrusage(RUSAGE_SELF, &used);
    printf("%lld\n", (long long)(ns_of(&used.ru_utime) + ns_of(&used.ru_stime)));
    return 0;
}
