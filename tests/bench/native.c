/* native: measures functions that the preload library wraps. Prints a row "NAME NANOSECONDS" per function, with the
 * minimum of several rounds. Run it alone and under `record`, and compare the results. It is built with
 * -finstrument-functions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

enum { ROUNDS = 15, COUNT = 100000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int sum;

PLAIN static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

PLAIN static void use_small_blocks(int count)
{
    for (int i = 0; i < count; i++) {
        char *volatile block = malloc(64);
        free(block);
    }
}

PLAIN static void large_blocks(int count)
{
    for (int i = 0; i < count; i++) {
        char *volatile block = malloc(100000);
        free(block);
    }
}

PLAIN static void locks(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

PLAIN static void reads(int count)
{
    char byte;
    for (int i = 0; i < count; i++)
        sum += read(-1, &byte, 1) == 1;
}

static __attribute__((noinline)) int leaf(int x)
{
    return x * 3 + 1;
}

PLAIN static void functions(int count)
{
    for (int i = 0; i < count; i++)
        sum += leaf(i);
}

PLAIN int main(void)
{
    static const struct {
        const char *name;
        void (*run)(int count);
        int count;
    } rows[] = {{"malloc+free,64", use_small_blocks, COUNT},
                {"malloc+free,100000", large_blocks, COUNT / 10},
                {"lock+unlock", locks, COUNT},
                {"read", reads, COUNT},
                {"function", functions, COUNT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double least = 1e18;
        for (int round = 0; round < ROUNDS; round++) {
            double start = now();
            rows[i].run(rows[i].count);
            double each = (now() - start) / rows[i].count;
            least = each < least ? each : least;
        }
        printf("%s %.1f\n", rows[i].name, least);
    }
    return 0;
}
