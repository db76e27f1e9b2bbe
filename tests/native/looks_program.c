/* looks_program: runs twelve threads for 20 to 130 ms of CPU time each, with pauses, while another thread waits for
 * them. looks_program held: does the same, but the threads exit only 3 s after the last of them has finished its work.
 * looks_program short: runs 2,000 threads of 2 ms each, one after the other. Prints the CPU time of all threads as the
 * kernel counts it for the process, ns. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 12, SHORT_THREADS = 2000, SHORT_NS = 2000000 };

static pthread_barrier_t all_finished;

static int64_t own_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *work(void *number)
{
    while (own_ns() < (20 + 10 * (intptr_t)number) * 1000000) {
        for (volatile int i = 0; i < 50000; i++)
            ;
        usleep(500);
    }
    return NULL;
}

static void *work_and_stay(void *number)
{
    work(number);
    pthread_barrier_wait(&all_finished);
    sleep(3); /* longer than the longest pause between two polls */
    return NULL;
}

static void *work_for_2_ms(void *unused)
{
    while (own_ns() < SHORT_NS)
        for (volatile int i = 0; i < 5000; i++)
            ;
    return unused;
}

static int run(int count, int together, void *(*of_thread)(void *))
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < count; i++) {
        if (pthread_create(&threads[i % together], NULL, of_thread, (void *)i) != 0)
            return 1;
        if (i % together == together - 1)
            for (int k = 0; k < together; k++)
                pthread_join(threads[k], NULL);
    }
    return 0;
}

static int64_t ns_of(const struct timeval *time)
{
    return ((int64_t)time->tv_sec * 1000000 + time->tv_usec) * 1000;
}

int main(int count, char **words)
{
    struct rusage used;
    bool is_held = count > 1 && strcmp(words[1], "held") == 0, is_short = count > 1 && !is_held;
    pthread_barrier_init(&all_finished, NULL, THREADS);
    if (is_short ? run(SHORT_THREADS, 1, work_for_2_ms) : run(THREADS, THREADS, is_held ? work_and_stay : work))
        return 1;
    getrusage(RUSAGE_SELF, &used);
    printf("%lld\n", (long long)(ns_of(&used.ru_utime) + ns_of(&used.ru_stime)));
    return 0;
}
