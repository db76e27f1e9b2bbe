/* table TRACE: measures the seconds to read a trace, to build its key_averages rows by name and shape, and to print
 * them. Prints the fastest of five rounds. */
#include <stdio.h>
#include <time.h>

#include "webreport/print/table_outputs.h"

enum { ROUNDS = 5 };

struct times {
    double read, rows, text;
    uint32_t event_count;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure_table_times(struct times *times, const char *path, struct tp_arena *arena)
{
    struct tp_table_options options = TP_TABLE_OPTIONS;
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_profile_table *table = tp_arena_alloc(arena, sizeof *table);
    struct tp_buf out;
    double start = now_s();
    if (tp_trace_read(trace, arena, path, NULL, NULL) < 0)
        tp_arena_fail(arena, TP_EIO);
    double read = now_s();
    options.keys.by_shape = true;
    options.sort_by = "self_cpu_time_total";
    tp_profile_table_build(table, trace, &options, arena);
    double rows = now_s();
    tp_buf_init(&out, 0);
    tp_print_key_averages(&out, table, arena, NULL);
    *times = (struct times){read - start, rows - read, now_s() - rows, table->averages->torch.count};
    tp_buf_release(&out);
}

/* Runs one round. Returns false if the trace cannot be read. */
static int measure_round(struct times *times, const char *path)
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        tp_arena_release(&arena);
        return 0;
    }
    measure_table_times(times, path, &arena);
    tp_arena_release(&arena);
    return 1;
}

int main(int argc, char **argv)
{
    struct times best = {.rows = 1e9}, times = {0};
    for (int i = 0; argc > 1 && i < ROUNDS; i++) {
        if (!measure_round(&times, argv[1])) {
            fprintf(stderr, "table: cannot read %s\n", argv[1]);
            return 1;
        }
        best = times.rows < best.rows ? times : best;
    }
    printf("key_averages of %u events: %.3f s beyond reading (%.3f s), its text %.4f s\n", best.event_count, best.rows,
           best.read, best.text);
    return 0;
}
