/* Tests call stacks of ranges and of sampled threads, from the program to the trace. */
#include "collector/tracepress.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/loaded_modules.h"
#include "collector/unwind.h"
#include "writer/spool/symbols.h"

#if defined(__SANITIZE_THREAD__)
enum { HAS_PROMPT_SIGNALS = 0 }; /* TSan delays signals */
#else
enum { HAS_PROMPT_SIGNALS = 1 };
#endif

/* ---- stacks of this process ---- */

static struct tp_stack_copy taken;
static uint64_t own_frames[TP_MAX_FRAMES];
static uint32_t own_count;

static void copy_stack_in_handler(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    tp_stack_copy_context(&taken, context);
}

__attribute__((noinline)) static int depth_three(void)
{
    raise(SIGUSR1);
    return 1;
}
__attribute__((noinline)) static int depth_two(void)
{
    return depth_three() + 1;
}
__attribute__((noinline)) static int depth_one(void)
{
    return depth_two() + 1;
}

static struct tp_str frames_text(struct tp_arena *arena, const uint64_t *frames, uint32_t count, bool is_sample)
{
    struct tp_symbols symbols;
    struct tp_vec text = TP_VEC(arena, char);
    tp_symbols_init(&symbols, arena);
    for (uint32_t i = 0; i < tp_modules_count(); i++) {
        const struct tp_module *m = tp_modules_get(i);
        tp_symbols_add(&symbols, m->start, m->end, m->bias, 0, tp_str_of(m->path));
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tp_symbol_frames found = tp_symbols_frames(&symbols, frames[i], 1, !is_sample || i > 0);
        struct tp_str frame = found.text, name = found.function;
        assert_true(name.ptr > frame.ptr && memcmp(name.ptr - 3, "): ", 3) == 0 ? name.ptr[name.len] == ';'
                                                                                : name.ptr[name.len] == ' ');
        assert_true(frame.len > 0 && frame.ptr[frame.len - 1] == ';');
        for (size_t k = 0; k < frame.len; k++)
            *(char *)tp_vec_push(&text) = frame.ptr[k];
    }
    *(char *)tp_vec_push(&text) = '\0';
    tp_symbols_release(&symbols);
    return (struct tp_str){text.data, text.count};
}

static void copied_stack_is_unwound_and_named(void **state)
{
    struct tp_arena arena;
    struct sigaction action = {.sa_sigaction = copy_stack_in_handler, .sa_flags = SA_SIGINFO};
    uint64_t frames[TP_MAX_FRAMES];
    (void)state;
    assert_true(tp_stack_prepare());
    tp_modules_update();
    assert_false(tp_modules_update());
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(depth_one(), 3);
    uint32_t count = tp_stack_unwind(&taken, frames, TP_MAX_FRAMES);
    assert_true(count > 5);
    assert_int_equal(tp_stack_unwind(&taken, frames, 3), 3);
    tp_stack_unwind(&taken, frames, TP_MAX_FRAMES);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    const char *text = frames_text(&arena, frames, count, true).ptr;
    const char *three = strstr(text, "): depth_three;"), *two = strstr(text, "): depth_two;");
    const char *one = strstr(text, "): depth_one;"), *last = strstr(text, "): main;");
    assert_non_null(three);
    assert_true(three < two && two < one && one < last);
    assert_non_null(strstr(text, "test_stacks.c("));
    tp_arena_release(&arena);
}

static void damaged_stack_copy_is_unwound_safely(void **state)
{
    uint64_t frames[TP_MAX_FRAMES];
    (void)state;
    struct tp_stack_copy *damaged = malloc(sizeof *damaged);
    assert_non_null(damaged);
    for (unsigned seed = 1; seed < 2000; seed++) {
        *damaged = taken;
        if (seed % 3 == 0)
            damaged->size = seed % 500;
        for (unsigned i = 0; i < 40; i++)
            damaged->bytes[(seed * 7919u + i * 104729u) % 4096] ^= (char)(seed * 31u + i);
        if (seed % 5 == 0)
            damaged->registers[seed % 17] = seed * 0x9E3779B97F4A7C15ull;
        assert_true(tp_stack_unwind(damaged, frames, TP_MAX_FRAMES) <= TP_MAX_FRAMES);
    }
    free(damaged);
}

__attribute__((noinline)) static void walk_stack_of_this_thread(void)
{
    own_count = tp_stack_walk_this_thread(__builtin_return_address(0), own_frames, TP_MAX_FRAMES);
    __asm__ volatile("");
}
__attribute__((noinline)) static void call_walk_own_stack(void)
{
    walk_stack_of_this_thread();
    __asm__ volatile("");
}

static void own_stack_begins_with_the_caller(void **state)
{
    struct tp_arena arena;
    (void)state;
    call_walk_own_stack();
    assert_true(own_count > 2);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    const char *text = frames_text(&arena, own_frames, own_count, false).ptr;
    assert_non_null(strstr(text, "): call_walk_own_stack;"));
    assert_true(strstr(text, "): call_walk_own_stack;") < strchr(text, ';'));
    tp_arena_release(&arena);
}

static void unnamed_code_is_shown_as_offset(void **state)
{
    struct tp_arena arena;
    struct tp_symbols symbols;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_symbols_init(&symbols, &arena);
    tp_symbols_add(&symbols, 0x1000, 0x2000, 0x800, 5, TP_STR("/no/such/file;.so"));
    tp_symbols_add(&symbols, 0x1000, 0x3000, 0x400, 9, TP_STR("/later.so"));
    const struct {
        uint64_t address, time;
        bool is_return;
        const char *frames;
    } cases[] = {{0x1234, 6, false, "+0xa34 [file,.so];"},
                 {0x1234, 6, true, "+0xa33 [file,.so];"},
                 {0x1234, 9, false, "+0xe34 [later.so];"},
                 {0x1234, 1, false, "+0xa34 [file,.so];"},
                 {0x9999, 9, false, "+0x9999 [unknown];"},
                 {0, 0, true, "+0x0 [unknown];"},
                 {UINT64_MAX, 9, true, "+0xfffffffffffffffe [unknown];"}};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct tp_symbol_frames found =
                tp_symbols_frames(&symbols, cases[i].address, cases[i].time, cases[i].is_return);
            assert_true(tp_str_equal(found.text, tp_str_of(cases[i].frames)));
            assert_int_equal(found.first.len, found.text.len - 1);
            assert_true(tp_str_equal(found.function, (struct tp_str){cases[i].frames, strcspn(cases[i].frames, " ")}));
            assert_false(found.is_own);
        }
    for (uint64_t i = 0; i < 5000; i++) /* makes the table grow */
        tp_symbols_frames(&symbols, i * 17, 6, false);
    assert_memory_equal(tp_symbols_frames(&symbols, 0x1234, 9, false).text.ptr, "+0xe34 [later.so];", 18);
    tp_symbols_release(&symbols);
    tp_arena_release(&arena);
}

/* Tests that a library that was replaced by a FIFO is not opened, because opening it could block forever. A spool lists
 * the files that a process has mapped. */
static void library_replaced_by_fifo_is_not_opened(void **state)
{
    struct tp_arena arena;
    struct tp_symbols symbols;
    char folder[] = "/tmp/tracepress-stacks-XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libpipe.so", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_symbols_init(&symbols, &arena);
    tp_symbols_add(&symbols, 0x1000, 0x2000, 0x1000, 5, tp_str_of(path));
    assert_true(tp_str_equal(tp_symbols_frames(&symbols, 0x1234, 6, false).text, TP_STR("+0x234 [libpipe.so];")));
    tp_symbols_release(&symbols);
    tp_arena_release(&arena);
    unlink(path);
    rmdir(folder);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[65536];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Finds the names of all addresses from `from` to `to`. The file is mapped at its own addresses. */
static void name_all_addresses(struct tp_symbols *symbols, uint64_t from, uint64_t to)
{
    for (uint64_t address = from; address < to; address += 64)
        assert_true(tp_symbols_frames(symbols, address, 6, false).text.len > 0);
}

/* libdw maps files itself. If a library is truncated while its addresses are looked up, libdw gets SIGBUS. */
static void truncated_library_gives_fewer_names(void **state)
{
    enum { CODE = 0x100000 };
    char folder[] = "/tmp/tracepress-stacks-XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libcut.so", folder);
    static const int lengths[] = {0, 100, 5000, 70000, 300000};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        struct tp_arena arena;
        struct tp_symbols symbols;
        copy_file("/proc/self/exe", path);
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        tp_symbols_init(&symbols, &arena);
        tp_symbols_add(&symbols, 0, CODE, 0, 5, tp_str_of(path));
        if (i % 2) /* truncates the file after its symbol tables were read */
            name_all_addresses(&symbols, CODE / 2, CODE / 2 + 4096);
        else
            name_all_addresses(&symbols, CODE - 64, CODE);
        assert_int_equal(truncate(path, lengths[i / 2]), 0);
        name_all_addresses(&symbols, 0, CODE / 2);
        tp_symbols_release(&symbols);
        tp_arena_release(&arena);
    }
    unlink(path);
    rmdir(folder);
}

/* ---- samples of a running program ---- */

static uint64_t process_cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static _Thread_local volatile double sink;

/* Defines functions that use a given CPU time. Their bodies differ, so that the compiler does not merge them. */
#define WORK(name, factor)                                                                                             \
    __attribute__((noinline)) static void name(uint64_t ns)                                                            \
    {                                                                                                                  \
        uint64_t end = process_cpu_ns() + ns;                                                                          \
        while (process_cpu_ns() < end)                                                                                 \
            for (int i = 0; i < 2000; i++)                                                                             \
                sink = sink * (factor) + i;                                                                            \
    }
WORK(work_three_quarters, 1.0000001)
WORK(work_one_quarter, 1.0000002)

static uint64_t spent_ns[2];

static void *use_cpu_on_thread(void *which)
{
    uint64_t start = process_cpu_ns();
    for (int i = 0; i < 100; i++) {
        /* not a multiple of the kernel's tick, otherwise all samples would hit the same function */
        work_three_quarters(6330000);
        work_one_quarter(2110000);
    }
    *(uint64_t *)which = process_cpu_ns() - start;
    return NULL;
}

static char path[256], text[16 << 20];

static void export_trace(const struct tracepress_trace *trace, void *context)
{
    (void)context;
    assert_int_equal(tracepress_export_chrome_trace(trace, path), 0);
}

static void read_trace(void)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    assert_true(n > 0 && n < sizeof text - 1);
    text[n] = '\0';
    fclose(file);
    remove(path);
}

/* Adds up the CPU time of all samples (`all`), and of samples with `function` in their stack (`with`). */
static void sum_sample_times(const char *function, uint64_t *with, uint64_t *all, uint32_t *count)
{
    *with = *all = *count = 0;
    for (const char *line = strstr(text, "\"ph\":\"P\""); line; line = strstr(line + 1, "\"ph\":\"P\"")) {
        const char *end = strchr(line, '\n'), *ns = strstr(line, "\"cpu ns\":"), *at = strstr(line, function);
        assert_true(end && ns && ns < end);
        uint64_t value = strtoull(ns + 9, NULL, 10);
        *all += value;
        *with += at && at < end ? value : 0;
        ++*count;
    }
}

static void check_sampled_time(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    pthread_t threads[2];
    uint64_t heavy, light, all;
    uint32_t count;
    options.handler = export_trace;
    options.directory = "/tmp";
    options.sample_rate = 1000;
    options.with_stack = 1;
    snprintf(path, sizeof path, "/tmp/tracepress-stacks-%d.json", (int)getpid());
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_cpu_on_thread, &spent_ns[i]), 0);
    {
        TRACEPRESS_SCOPE("waiting");
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    tracepress_stop();
    read_trace();
    const char *range = strstr(text, "\"waiting\"");
    assert_non_null(range);
    assert_non_null(strstr(range, "check_sampled_time;"));
    if (!HAS_PROMPT_SIGNALS)
        skip();
    sum_sample_times("): work_three_quarters;", &heavy, &all, &count);
    sum_sample_times("): work_one_quarter;", &light, &all, &count);
    double spent = (double)(spent_ns[0] + spent_ns[1]), share = (double)heavy / (double)(heavy + light);
    print_message("%u samples, %.1f %% of the processor time, heavy share %.2f %%\n", count, 100 * (double)all / spent,
                  100 * share);
    assert_true(count >= 50);
    assert_true((double)all >= 0.9 * spent && (double)all <= 1.1 * spent);
    /* tolerance of four standard deviations, because samples are random */
    assert_true(fabs(share - 0.75) <= 0.01 + 4 * sqrt(0.75 * 0.25 / count));
}

static void samples_add_up_to_cpu_time(void **state)
{
    (void)state;
    check_sampled_time(); /* also tests samples taken by the kernel, if it allows them */
}

static void timer_samples_add_up_to_cpu_time(void **state)
{
    (void)state;
    setenv("TRACEPRESS_PERF", "0", 1);
    check_sampled_time();
    unsetenv("TRACEPRESS_PERF");
}

static void handle_urgent_signal(int number)
{
    (void)number;
}

static void a_program_with_its_own_handler_is_not_sampled(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    struct sigaction theirs = {.sa_handler = handle_urgent_signal}, before, after;
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    setenv("TRACEPRESS_PERF", "0", 1);
    sigaction(SIGURG, &theirs, &before);
    options.handler = export_trace;
    options.directory = "/tmp";
    options.sample_rate = 1000;
    assert_int_equal(tracepress_start(&options), 0);
    use_cpu_on_thread(&spent_ns[0]);
    tracepress_stop();
    read_trace();
    assert_null(strstr(text, "\"ph\":\"P\""));
    unsetenv("TRACEPRESS_PERF");
    sigaction(SIGURG, &before, &after);
    assert_ptr_equal(after.sa_handler, handle_urgent_signal);
}

static void sampling_does_not_interrupt_waits(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    const struct timespec wait = {0, 200000000};
    (void)state;
    options.handler = export_trace;
    options.directory = "/tmp";
    options.sample_rate = 5000;
    setenv("TRACEPRESS_PERF", "0", 1);
    assert_int_equal(tracepress_start(&options), 0);
    use_cpu_on_thread(&spent_ns[0]);
    for (int i = 0; i < 5; i++)
        assert_int_equal(nanosleep(&wait, NULL), 0); /* succeeds, because no sampling signal interrupts it */
    tracepress_stop();
    unsetenv("TRACEPRESS_PERF");
    remove(path);
}

static void sampling_continues_after_restart(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    uint64_t with, all;
    uint32_t count;
    (void)state;
    options.handler = export_trace;
    options.directory = "/tmp";
    options.sample_rate = 10000;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(tracepress_start(&options), 0);
        tracepress_stop();
    }
    assert_int_equal(tracepress_start(&options), 0);
    use_cpu_on_thread(&spent_ns[0]);
    tracepress_stop();
    read_trace();
    sum_sample_times("work", &with, &all, &count);
    assert_true(count > 20 || !HAS_PROMPT_SIGNALS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copied_stack_is_unwound_and_named),
        cmocka_unit_test(damaged_stack_copy_is_unwound_safely),
        cmocka_unit_test(own_stack_begins_with_the_caller),
        cmocka_unit_test(unnamed_code_is_shown_as_offset),
        cmocka_unit_test(library_replaced_by_fifo_is_not_opened),
        cmocka_unit_test(truncated_library_gives_fewer_names),
        cmocka_unit_test(samples_add_up_to_cpu_time),
        cmocka_unit_test(timer_samples_add_up_to_cpu_time),
        cmocka_unit_test(a_program_with_its_own_handler_is_not_sampled),
        cmocka_unit_test(sampling_does_not_interrupt_waits),
        cmocka_unit_test(sampling_continues_after_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
