/* callback_program sort|dive SECONDS: works in a callback of the C library's qsort; or at the end of a recursion whose
 * stack is larger than what a sample keeps of it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;
static double seconds, until;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static int compare_slowly(const void *a, const void *b)
{
    for (unsigned long i = 0; i < 20000 && now() < until; i++)
        for (unsigned long k = 0; k < 1000; k++)
            sink += k;
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static unsigned long spin_at_depth(void)
{
    while (now() < until)
        for (unsigned long i = 0; i < 100000; i++)
            sink += i;
    return sink;
}

__attribute__((noinline)) static unsigned long dive(int depth)
{
    volatile char room[1024];
    memset((char *)room, depth, sizeof room);
    unsigned long below = depth ? dive(depth - 1) : spin_at_depth();
    return below + (unsigned long)room[depth]; /* no tail call */
}

int main(int argc, char **argv)
{
    int numbers[64];
    seconds = argc > 2 ? atof(argv[2]) : 1;
    until = now() + seconds;
    for (int i = 0; i < 64; i++)
        numbers[i] = i * 37 % 64;
    if (argc > 1 && strcmp(argv[1], "dive") == 0)
        return dive(60) == 0;
    qsort(numbers, 64, sizeof *numbers, compare_slowly);
    return 0;
}
