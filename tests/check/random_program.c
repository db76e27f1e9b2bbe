/* random_program DIR SEED: makes random calls of the whole interface on four threads, with steps, and writes a trace to
 * DIR.
 *
 * Some ranges stay open, some ends have no start, some tasks end on other threads. Programs are allowed to do this, and
 * every reader must accept their traces. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/tracepress.h"

enum { THREADS = 4, CALLS = 3000, DEPTH = 10, STEPS = 6 };

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void begin_something(unsigned *seed)
{
    static const char *const names[] = {"mm", "a \"quoted\" name", "caf\xc3\xa9", "bad \xff byte", "", "forward"};
    const char *name = names[next(seed) % (sizeof names / sizeof *names)];
    const int64_t dims[] = {next(seed) % 100, 4};
    const struct tracepress_input input = {TRACEPRESS_FLOAT, 2, dims};
    const struct tracepress_operator call = {.size = sizeof(struct tracepress_operator),
                                             .input_size = sizeof(struct tracepress_input),
                                             .inputs = &input,
                                             .input_count = next(seed) % 2,
                                             .sequence = next(seed) % 50,
                                             .is_backward = next(seed) % 2,
                                             .flops = next(seed)};
    switch (next(seed) % 4) {
    case 0:
        tracepress_begin_text(name);
        break;
    case 1:
        tracepress_begin(tracepress_intern(name));
        break;
    case 2:
        tracepress_module_begin(tracepress_intern("Linear_0"));
        break;
    default:
        tracepress_operator_begin(tracepress_intern(name), &call);
    }
}

static void record_something(unsigned *seed)
{
    tracepress_name name = tracepress_intern("moment");
    switch (next(seed) % 5) {
    case 0:
        tracepress_counter(name, next(seed) / 7.0);
        break;
    case 1:
        tracepress_instant(name);
        break;
    case 2:
        tracepress_async_begin(name, next(seed) % 20);
        break;
    case 3:
        tracepress_async_end(name, next(seed) % 20);
        break;
    default:
        tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                           .address = next(seed),
                                                           .bytes = (int64_t)next(seed) - 30000,
                                                           .total_allocated = next(seed),
                                                           .total_reserved = -1,
                                                           .device_id = -1});
    }
}

static void *run(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    int depth = 0;
    for (int i = 0; i < CALLS; i++) {
        unsigned what = next(&seed) % 10;
        if (what < 4 && depth < DEPTH) {
            begin_something(&seed);
            depth++;
        } else if (what < 8 && (depth > 0 || next(&seed) % 50 == 0)) {
            tracepress_end();
            depth -= depth > 0;
        } else {
            record_something(&seed);
        }
    }
    return NULL; /* does not end its open ranges */
}

int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    pthread_t threads[THREADS];
    if (argc < 3)
        return 2;
    unsigned seed = (unsigned)atoi(argv[2]);
    options.with_modules = options.with_flops = 1;
    options.directory = argv[1];
    options.handler = tracepress_tensorboard_trace_handler;
    options.schedule = (struct tracepress_schedule){.active = STEPS - 1, .repeat = 1};
    tracepress_metadata("note", "a \"quoted\" fact\n");
    if (tracepress_start(&options) != 0)
        return 1;
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(seed * THREADS + i + 1)) != 0)
            return 1;
    for (int step = 0; step < STEPS; step++) {
        begin_something(&seed); /* this range stays open across the step */
        run((void *)(uintptr_t)(seed + (unsigned)step));
        tracepress_step();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tracepress_stop();
    return 0;
}
