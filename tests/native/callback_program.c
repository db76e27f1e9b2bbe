/* callback_program sort|dive|wait SECONDS: a program for stack samples. sort: works in a callback of the C library's
 * qsort. dive: works at the end of a recursion whose stack is larger than the part that a sample copies. wait: waits
 * for a pipe in the qsort callback, ten times 30 ms. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    return below + (unsigned long)room[depth]; /* adds a value, so that the call is not a tail call */
}

static int pipe_ends[2], waits_left = 10;

static void write_slowly(void)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    close(pipe_ends[0]);
    do
        nanosleep(&pause, NULL);
    while (write(pipe_ends[1], "x", 1) == 1); /* writes until SIGPIPE ends the process */
    _exit(0);
}

__attribute__((noinline)) static int compare_waiting(const void *a, const void *b)
{
    char byte = 0;
    if (waits_left > 0 && read(pipe_ends[0], &byte, 1) == 1)
        waits_left--;
    return *(const int *)a - *(const int *)b + (byte == 'y');
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
    bool is_wait = argc > 1 && strcmp(argv[1], "wait") == 0;
    if (is_wait && (pipe(pipe_ends) != 0 || fork() == 0))
        write_slowly();
    qsort(numbers, 64, sizeof *numbers, is_wait ? compare_waiting : compare_slowly);
    return 0;
}
