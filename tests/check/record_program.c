/* record_program DIR HOW [MILLISECONDS]: records nested ranges on four threads until it is killed, or exits in the way
 * HOW.
 *
 * HOW: wait (for a signal), calm (the same with few ranges), segv, abort, exit, _exit, exec, stop. After each range
 * ends, its thread increments a count in the file DIR/counts, which survives any kind of exit. The recovered trace must
 * have at least this number of ranges. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/tracepress.h"

enum { THREADS = 4 };

static _Atomic uint64_t *counts;
static _Atomic int is_over;
static bool is_calm;

static void *record(void *argument)
{
    int number = (int)(intptr_t)argument;
    char text[8];
    snprintf(text, sizeof text, "t%d", number);
    tracepress_name inner = tracepress_intern(text), outer = tracepress_intern("outer");
    while (!is_over) {
        tracepress_begin(outer);
        for (int i = 0; i < 100; i++) {
            if (i % 10 == 0)
                tracepress_begin_text(text);
            else
                tracepress_begin(inner);
            tracepress_end();
            counts[number]++;
        }
        tracepress_end();
        if (is_calm)
            usleep(5000);
    }
    return NULL;
}

static void die(const char *how)
{
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "exit") == 0)
        exit(0);
    else if (strcmp(how, "_exit") == 0)
        _exit(0);
    else if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    char path[4096];
    pthread_t threads[THREADS];
    if (argc < 3)
        return 2;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = argv[1];
    options.worker = "worker";
    options.handler = tracepress_tensorboard_trace_handler;
    snprintf(path, sizeof path, "%s/counts", argv[1]);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 2;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        return 2;
    is_calm = strcmp(argv[2], "calm") == 0;
    tracepress_start(&options);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, (void *)(intptr_t)i);
    usleep(argc > 3 ? (useconds_t)atoi(argv[3]) * 1000 : 20000);
    if (strcmp(argv[2], "stop") != 0)
        die(argv[2]);
    tracepress_stop();
    is_over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    uint64_t all = counts[0] + counts[1] + counts[2] + counts[3];
    printf("%llu ranges\n", (unsigned long long)all);
    return 0;
}
