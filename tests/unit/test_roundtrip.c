/* Tests random recordings. The events in the trace must equal the records of the spool, with the same names and
 * nanoseconds. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/session.h"
#include "collector/tracepress.h"
#include "webreport/trace/trace.h"
#include "writer/spool/spool_read.h"
#include "writer/trace_json.h"

enum { THREADS = 3, CALLS = 4000, DEPTH = 12 };

static char folder[64];

/* ---- a random program ---- */

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void begin_random_event(unsigned *seed)
{
    static const char *const names[] = {"mm", "add", "a \"quoted\" name", "caf\xc3\xa9", "tab\there", "bad \xff byte",
                                        ""};
    const char *name = names[next_random(seed) % (sizeof names / sizeof *names)];
    const int64_t dims[] = {next_random(seed) % 100, 4, 5};
    const struct tracepress_input inputs[] = {{TRACEPRESS_FLOAT, 3, dims}, {TRACEPRESS_INT64, 0, NULL}};
    const struct tracepress_operator call = {.size = sizeof(struct tracepress_operator),
                                             .input_size = sizeof(struct tracepress_input),
                                             .inputs = inputs,
                                             .input_count = next_random(seed) % 3,
                                             .flops = next_random(seed)};
    switch (next_random(seed) % 4) {
    case 0:
        tracepress_begin_text(name);
        break;
    case 1:
        tracepress_begin(tracepress_intern(name));
        break;
    default:
        tracepress_operator_begin(tracepress_intern(name), &call);
    }
}

static void *record_random_calls(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    int depth = 0;
    for (int i = 0; i < CALLS; i++) {
        unsigned what = next_random(&seed) % 10;
        if (what < 4 && depth < DEPTH) {
            begin_random_event(&seed);
            depth++;
        } else if (what < 8 && depth > 0) {
            tracepress_end();
            depth--;
        } else if (what == 8) {
            tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                               .address = seed,
                                                               .bytes = (int64_t)next_random(&seed) - 30000,
                                                               .total_allocated = 1,
                                                               .device_id = -1});
        } else {
            tracepress_counter(1, 0.5);
        }
    }
    while (depth-- > (int)((uintptr_t)argument % 2)) /* ends the ranges; odd threads leave one range open */
        tracepress_end();
    return NULL;
}

/* ---- content of the spool ---- */

struct slice {
    int64_t start_ns, end_ns;
    struct tp_str name;
    bool is_operator;
};

struct expected {
    struct slice *slices;
    size_t count, memory_count;
};

static void read_expected_thread(struct expected *e, const struct tp_spool_file *file,
                                 const struct tp_spool_thread *thread, int64_t base, int64_t end)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    size_t open[DEPTH + 1] = {0}, depth = 0;
    tp_spool_walk(&walk, file, thread);
    while (tp_spool_next_record(&walk, &record, &payload)) {
        int64_t now = tp_spool_realtime_ns(file, record.time) - base;
        if (record.kind == TP_SPOOL_SCOPE || record.kind == TP_SPOOL_OPERATOR) {
            assert_true(depth <= DEPTH && e->count < THREADS * CALLS);
            open[depth++] = e->count;
            e->slices[e->count++] = (struct slice){now, end, tp_spool_record_name(file, &record, payload),
                                                   record.kind == TP_SPOOL_OPERATOR};
        } else if (record.kind == TP_SPOOL_END) {
            assert_true(depth > 0);
            e->slices[open[--depth]].end_ns = now;
        }
        e->memory_count += record.kind == TP_SPOOL_MEMORY_NOTE;
    }
}

static void find_first_and_last_ns(const struct tp_spool_file *file, int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t t = 0; t < file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, file, &file->threads[t]);
        while (tp_spool_next_record(&walk, &record, &payload)) {
            int64_t now = tp_spool_realtime_ns(file, record.time);
            *first = now < *first ? now : *first;
            *last = now > *last ? now : *last;
        }
    }
}

/* Checks a name. The reader replaces ill-formed bytes by U+FFFD. */
static void assert_name(struct tp_str read, struct tp_str recorded)
{
    if (memchr(recorded.ptr, '\xff', recorded.len))
        assert_true(tp_str_equal(read, TP_STR("bad \xef\xbf\xbd byte")));
    else
        assert_true(tp_str_equal(read, recorded));
}

static void compare_trace_with_expected(const struct tp_trace *trace, const struct expected *e)
{
    size_t k = 0;
    assert_int_equal(trace->memory_count, e->memory_count);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        if (event->kind != TP_KIND_OPERATOR && event->kind != TP_KIND_ANNOTATION)
            continue;
        assert_true(k < e->count);
        const struct slice *slice = &e->slices[k++];
        assert_int_equal(event->ts_ns, slice->start_ns);
        assert_int_equal(event->dur_ns, slice->end_ns - slice->start_ns);
        assert_int_equal(event->kind == TP_KIND_OPERATOR, slice->is_operator);
        assert_name(tp_strings_get(&trace->names, event->name), slice->name);
    }
    assert_int_equal(k, e->count);
}

static void compare_with_expected(const struct tracepress_trace *handed, void *context)
{
    char path[128];
    struct tp_arena arena;
    struct tp_spool_file file;
    struct tp_trace trace;
    struct tp_error err = {0};
    struct expected e = {0};
    int64_t first, last;
    snprintf(path, sizeof path, "%s/trace.json.gz", folder);
    assert_int_equal(tracepress_export_chrome_trace(handed, path), 0);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, handed->spool, &arena, &err), 0);
    find_first_and_last_ns(&file, &first, &last);
    int64_t base = tp_trace_out_base_time_ns(first);
    e.slices = tp_arena_array(&arena, THREADS * CALLS, sizeof *e.slices);
    for (uint32_t t = 0; t < file.thread_count; t++)
        read_expected_thread(&e, &file, &file.threads[t], base, last - base);
    const struct tp_trace_options strict = {.is_strict = true};
    assert_int_equal(tp_trace_read(&trace, &arena, path, &strict, &err), TP_OK);
    compare_trace_with_expected(&trace, &e);
    assert_true(e.count > 1000);
    *(int *)context += 1;
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static void random_programs_are_read_back_exactly(void **state)
{
    int handled = 0;
    (void)state;
    strcpy(folder, "/tmp/tracepress-roundtrip-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (unsigned round = 1; round <= 5; round++) {
        pthread_t threads[THREADS];
        struct tracepress_options options = TRACEPRESS_OPTIONS;
        options.directory = folder;
        options.handler = compare_with_expected;
        options.context = &handled;
        assert_int_equal(tracepress_start(&options), 0);
        for (unsigned i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, record_random_calls, (void *)(uintptr_t)(round * 100 + i));
        for (unsigned i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        tracepress_stop();
    }
    assert_int_equal(handled, 5);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_are_read_back_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
