/* openmp_program: runs regions on two threads. One thread works 20 ms longer in each region, so that the other one
 * waits at the barrier. Between regions only the first thread works. Prints the number of regions, then the total
 * nanoseconds that the faster thread waited. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int omp_get_thread_num(void);

enum { COUNT = 10, LATE_US = 20000, BETWEEN_US = 10000 };

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
    long long ahead = 0;
    usleep(1000);
    for (int i = 0; i < COUNT; i++) {
        long long done[2] = {0};
#pragma omp parallel num_threads(2)
        {
            int number = omp_get_thread_num() & 1;
            if (number == 0) /* the worker waits here; its range must end with this region, not with the next one */
                usleep(LATE_US);
            done[number] = now();
        }
        if (done[0] > done[1]) /* on a busy machine the worker can be late, so that the first thread waits instead */
            ahead += done[0] - done[1];
        usleep(BETWEEN_US);
    }
    printf("%d %lld\n", COUNT, ahead);
    return 0;
}
