/* split SECONDS THREADS: spends CPU time in two functions, a quarter of it in `one_quarter`. Prints the time in each
 * function that the program itself measured, as nanoseconds over all threads. The program does not use tracepress. A
 * sampler must find these shares.
 *
 * The slices have random lengths, so that no sampling period stays in step with them. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 16, SLICE_NS = 500000 };

static uint64_t limit_ns;
static _Atomic uint64_t in_quarter, in_rest;
static volatile uint64_t sink;

static uint64_t used(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Works for `ns` nanoseconds of CPU time. Returns the time that the work took, ns. Always inlined, so that its callers
 * are different functions. */
static inline __attribute__((always_inline)) uint64_t work(uint64_t ns, uint64_t factor)
{
    uint64_t start = used(), x = ns, now;
    do {
        for (int i = 0; i < 2000; i++)
            x = x * factor + 1;
        now = used();
    } while (now - start < ns);
    sink = x;
    return now - start;
}

__attribute__((noinline)) void one_quarter(uint64_t ns);
__attribute__((noinline)) void one_quarter(uint64_t ns)
{
    in_quarter += work(ns, 6364136223846793005u);
}

__attribute__((noinline)) void three_quarters(uint64_t ns);
__attribute__((noinline)) void three_quarters(uint64_t ns)
{
    in_rest += work(ns, 2862933555777941757u);
}

static void *run(void *seed)
{
    uint32_t random = (uint32_t)(uintptr_t)seed;
    for (uint64_t start = used(); used() - start < limit_ns;) {
        random = random * 1664525 + 1013904223;
        uint64_t ns = SLICE_NS / 2 + random % SLICE_NS;
        one_quarter(ns);
        three_quarters(3 * ns);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    int count = argc > 2 ? atoi(argv[2]) : 1;
    if (argc < 2 || count < 1 || count > MAX_THREADS)
        return 2;
    limit_ns = (uint64_t)(atof(argv[1]) * 1e9);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1)) != 0)
            return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%llu %llu\n", (unsigned long long)in_quarter, (unsigned long long)in_rest);
    return 0;
}
