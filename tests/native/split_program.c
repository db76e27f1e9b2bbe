/* split_program SECONDS: runs four functions with known shares on two threads. Prints the CPU time that each function
 * itself measured, ms: "alpha beta gamma delta". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;
static double seconds, used[4];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Defines a function that works in rounds of different lengths, so that no sampling clock stays in step with the
 * rounds. */
#define WORK(name)                                                                                                     \
    __attribute__((noinline)) static double name(double share, int turn)                                               \
    {                                                                                                                  \
        double begin = now(), want = share * seconds / 20 * (0.5 + (turn * 7 % 20) / 19.0);                            \
        while (now() - begin < want)                                                                                   \
            for (unsigned long i = 0; i < 20000; i++)                                                                  \
                sink += i;                                                                                             \
        return now() - begin;                                                                                          \
    }
WORK(alpha)
WORK(beta)
WORK(gamma_)
WORK(delta)

static void *first(void *unused)
{
    for (int turn = 0; turn < 20; turn++) {
        used[0] += alpha(0.50, turn);
        used[1] += beta(0.25, turn);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int turn = 0; turn < 20; turn++) {
        used[2] += gamma_(0.10, turn);
        used[3] += delta(0.15, turn);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    seconds = argc > 1 ? atof(argv[1]) : 1;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%.0f %.0f %.0f %.0f\n", used[0] * 1e3, used[1] * 1e3, used[2] * 1e3, used[3] * 1e3);
    return 0;
}
