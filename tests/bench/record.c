/* record [MILLION]: measures the cost of recording.
 *
 * Prints ns per pair of begin and end and, for comparison, ns per round of a loop that reads the clock twice and stores
 * the result. The modes are: overwriting, a ring, keeping everything, and switched off, each on 1 to 16 threads. Also
 * prints the seconds from the stop until the trace is on disk. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/clock.h"
#include "collector/tracepress.h"

enum { ROUNDS = 7 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double fastest_round_ns(void (*run)(long count), long count, int rounds)
{
    double least = 1e9;
    for (int i = 0; i < rounds; i++) {
        double start = now_ns();
        run(count);
        double ns = (now_ns() - start) * 1e9 / (double)count;
        least = ns < least ? ns : least;
    }
    return least;
}

static struct {
    uint64_t begin, end, name, more;
} volatile ring[4096];

static void write_bare_ring_entries(long count)
{
    for (long i = 0; i < count; i++) {
        uint64_t begin = tp_clock_now();
        ring[i & 4095].name = 1;
        ring[i & 4095].more = 0;
        ring[i & 4095].begin = begin;
        ring[i & 4095].end = tp_clock_now();
    }
}

static tracepress_name name;

static void record_scopes(long count)
{
    for (long i = 0; i < count; i++) {
        tracepress_begin(name);
        tracepress_end();
    }
}

/* Begins and ends `count` ranges as the C++ class tracepress_task does. */
static void record_tasks(long count)
{
    for (long i = 0; i < count; i++) {
        uint64_t id = tracepress_async_id();
        tracepress_async_begin(name, id);
        tracepress_async_end(name, id);
    }
}

static void *record_scopes_on_thread(void *count)
{
    record_scopes((long)(intptr_t)count);
    return NULL;
}

static void record_on_threads(int threads, long count)
{
    pthread_t ids[16];
    double start = now_ns();
    for (int i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, record_scopes_on_thread, (void *)(intptr_t)count);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    printf("  %2d threads: %.1f million ranges a second\n", threads,
           threads * (double)count / (now_ns() - start) / 1e6);
}

static void start(const char *folder, tracepress_handler handler, uint32_t ring_mb)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.ring_mb = ring_mb;
    options.directory = folder;
    options.worker = "bench";
    options.handler = handler;
    if (tracepress_start(&options) != 0)
        exit(1);
}

static void export_trace(const struct tracepress_trace *trace, void *context)
{
    tracepress_export_chrome_trace(trace, context);
}

/* Returns the size of the uncompressed text of a trace, in bytes. */
static double trace_text_bytes(const char *path)
{
    char command[96];
    double bytes = 0;
    snprintf(command, sizeof command, "gzip -dc %s | wc -c", path);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf", &bytes) != 1)
        bytes = 0;
    if (pipe)
        pclose(pipe);
    return bytes;
}

static int measure_stop_with_file(const char *folder, char *path, long million)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    struct stat status = {0};
    options.directory = folder;
    options.handler = export_trace;
    options.context = path;
    tracepress_start(&options);
    record_scopes(million);
    double seconds = now_ns();
    tracepress_stop();
    seconds = now_ns() - seconds;
    if (stat(path, &status) != 0)
        return 1;
    double text = trace_text_bytes(path);
    printf("stop to disk, %ld ranges: %.3f s, %.1f MB of .json.gz, %.0f MB of text, %.0f MB/s\n", million, seconds,
           (double)status.st_size / 1e6, text / 1e6, text / 1e6 / seconds);
    return 0;
}

int main(int argc, char **argv)
{
    long million = (argc > 1 ? atol(argv[1]) : 1) * 1000000;
    char folder[] = "/tmp/tracepress-record-XXXXXX", path[64], command[96];
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/trace.json.gz", folder);
    name = tracepress_intern("work");
    tp_clock_init();
    double short_floor = fastest_round_ns(write_bare_ring_entries, 100, 20000),
           floor = fastest_round_ns(write_bare_ring_entries, million, ROUNDS);
    double off = fastest_round_ns(record_scopes, million, ROUNDS);
    start(folder, NULL, 0);
    double on = fastest_round_ns(record_scopes, 100, 20000),
           with_pages = fastest_round_ns(record_scopes, million / 4, ROUNDS);
    double of_tasks = fastest_round_ns(record_tasks, 100, 20000);
    tracepress_stop();
    start(folder, NULL, 16);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* imitates the other work at the start of a real
                                                                * program */
    double first_pass = fastest_round_ns(record_scopes, 16l << 15, 1),
           in_ring = fastest_round_ns(record_scopes, million, ROUNDS);
    tracepress_stop();
    printf("ns per begin + end, next to two clock reads and a 32-byte store in a loop:\n");
    printf("  in turns of 100             %6.1f %6.1f  %.2f\n", on, short_floor, on / short_floor);
    printf("  without end, ring of 16 MiB %6.1f %6.1f  %.2f\n", in_ring, floor, in_ring / floor);
    printf("  first pass through the ring %6.1f %6.1f  %.2f\n", first_pass, in_ring, first_pass / in_ring);
    printf("  without end, all is kept    %6.1f %6.1f  %.2f (full chunks are copied to the end of the spool)\n",
           with_pages, floor, with_pages / floor);
    printf("  tasks, in turns of 100      %6.1f %6.1f  %.2f (an id, begin and end)\n", of_tasks, short_floor,
           of_tasks / short_floor);
    printf("  switched off                %6.2f\n", off);
    for (int threads = 1; threads <= 16; threads *= 2) {
        start(folder, NULL, 8);
        record_on_threads(threads, million / threads);
        tracepress_stop();
    }
    int code = measure_stop_with_file(folder, path, million);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? code : 1;
}
