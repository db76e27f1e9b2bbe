/* Tests the reading of databases of other profilers: the events, the parts, and what a database cannot show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "webreport/trace/file_parts.h"
#include "webreport/trace/trace.h"

/* A kernel on device 1, which the process calls device 0, a call with a version, a range and an operator. */
#define TABLES                                                                                                         \
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"                                                     \
    "INSERT INTO StringIds VALUES (0, 'kernel'), (5, 'cudaLaunchKernel_v7000'), (6, 'cuMemsetD8Async');"               \
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 9);" \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"                         \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 9 << 24 | 3, 1, 5), (30, 40, 9 << 24 | 3, 2, 6);"         \
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);"                                               \
    "INSERT INTO NVTX_EVENTS VALUES (1, 90, 59, 'mine', 9 << 24 | 3),"                                                 \
    " (5, 25, 59, 'aten::mm, op_id = 8, sizes = [[1, 2]]', 9 << 24 | 3), (50, NULL, 59, 'open', 9 << 24 | 3);"
#define KERNELS                                                                                                        \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, "              \
    "demangledName);"                                                                                                  \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 60, 0, 7, 1, 9 << 24, 0), ('x', 60, 0, 7, 1, 9 << 24, 0);"

struct reading {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options;
    struct tp_input_part part;
    struct tp_vec parts;
    struct tp_error err;
    char path[64];
};

static int read_trace(void *context, struct tp_error *err)
{
    struct reading *r = context;
    (void)err;
    r->parts = TP_VEC(&r->arena, struct tp_input_part);
    tp_file_parts_find(&r->parts, r->path);
    return tp_trace_read(&r->trace, &r->arena, r->path, &r->options, &r->err);
}

/* Makes a database with an SQL script, and reads it. Returns the result of tp_trace_read. */
static int read_script(struct reading *r, const char *script)
{
    sqlite3 *db;
    snprintf(r->path, sizeof r->path, "/tmp/tracepress-test-XXXXXX");
    close(mkstemp(r->path));
    assert_int_equal(sqlite3_open(r->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, script, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    tp_arena_init(&r->arena, 0);
    int code = tp_arena_run(&r->arena, read_trace, r, NULL);
    unlink(r->path);
    return code;
}

static const struct tp_event *find_event(const struct tp_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (tp_str_equal(tp_trace_event_name(trace, &trace->events[i]), tp_str_of(name)))
            return &trace->events[i];
    return NULL;
}

static void rows_become_events(void **state)
{
    static struct reading r;
    (void)state;
    assert_int_equal(read_script(&r, TABLES KERNELS), TP_OK);
    const struct tp_trace *trace = &r.trace;
    const struct tp_event *kernel = find_event(trace, "kernel"), *call = find_event(trace, "cudaLaunchKernel");
    const struct tp_event *mm = find_event(trace, "aten::mm"), *driver = find_event(trace, "cuMemsetD8Async");
    assert_non_null(kernel);
    assert_int_equal(kernel->ts_ns, 30);
    assert_int_equal(kernel->dur_ns, 30);
    assert_int_equal(tp_device_setup(trace, kernel->detail)->device, 1);
    assert_int_equal(tp_device_setup(trace, kernel->detail)->stream, 7);
    assert_int_equal(trace->devices[kernel->detail].correlation, 1);
    assert_int_equal(trace->launches[call->detail].correlation, 1);
    assert_int_equal(trace->threads[call->thread].pid.number, 9);
    assert_int_equal(trace->threads[call->thread].tid.number, 3);
    assert_non_null(driver);
    assert_int_equal(trace->reading.driver, 1);
    assert_int_equal(mm->kind, TP_KIND_OPERATOR);
    assert_int_equal(trace->hosts[mm->detail].external_id, 8);
    assert_true(tp_str_equal(tp_strings_get(&trace->values, trace->hosts[mm->detail].dims), TP_STR("[[1,2]]")));
    assert_int_equal(find_event(trace, "mine")->kind, TP_KIND_ANNOTATION);
    assert_null(find_event(trace, "open"));
    tp_arena_release(&r.arena);
}

/* Returns the number of dropped rows with this text; 0 without such rows. */
static uint64_t dropped(const struct tp_trace *trace, const char *what)
{
    for (uint32_t i = 0; i < trace->input.dropped_count; i++)
        if (tp_str_equal(trace->input.dropped[i].what, tp_str_of(what)))
            return trace->input.dropped[i].count;
    return 0;
}

static void missing_data_is_reported(void **state)
{
    static struct reading r;
    const uint32_t unknown = TP_UNKNOWN_ALLOCATOR | TP_UNKNOWN_STACKS | TP_UNKNOWN_DTYPES | TP_UNKNOWN_SETS |
                             TP_UNKNOWN_DEVICE_PROPERTIES | TP_UNKNOWN_GRID;
    (void)state;
    assert_int_equal(read_script(&r, TABLES KERNELS), TP_OK);
    assert_int_equal(r.trace.input.unknown & unknown, unknown);
    assert_int_equal(
        r.trace.input.unknown & (TP_UNKNOWN_KERNELS | TP_UNKNOWN_COPIES | TP_UNKNOWN_OPERATORS | TP_UNKNOWN_SHAPES), 0);
    assert_int_equal(dropped(&r.trace, "device rows"), 1);
    assert_int_equal(dropped(&r.trace, "NVTX ranges without an end"), 1);
    assert_true(tp_str_starts(r.trace.input.producer, "Nsight Systems "));
    tp_arena_release(&r.arena);
}

static void missing_device_rows_are_unknown(void **state)
{
    static struct reading r;
    (void)state;
    assert_int_equal(read_script(&r, TABLES), TP_OK);
    assert_int_equal(r.trace.input.unknown & TP_UNKNOWN_KERNELS, TP_UNKNOWN_KERNELS);
    assert_int_equal(r.trace.input.unknown & TP_UNKNOWN_SETS, TP_UNKNOWN_SETS);
    assert_int_equal(r.parts.count, 1);
    tp_arena_release(&r.arena);
}

static void each_process_is_a_part(void **state)
{
    static const char second[] = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 7, 1, 12 << 24, 0);"
                                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90, 95, 12 << 24 | 1, 1, 5);";
    static struct reading all, one;
    char script[4096];
    (void)state;
    snprintf(script, sizeof script, "%s%s", TABLES KERNELS, second);
    assert_int_equal(read_script(&all, script), TP_EFORMAT);
    assert_int_equal(all.parts.count, 2);
    assert_int_equal(TP_AT(&all.parts, struct tp_input_part, 0)->number, 9);
    assert_true(tp_str_equal(TP_AT(&all.parts, struct tp_input_part, 1)->name, TP_STR("process 12")));
    one.part = (struct tp_input_part){.number = 12, .name = TP_STR("process 12")};
    one.options.part = &one.part;
    assert_int_equal(read_script(&one, script), TP_OK);
    assert_int_equal(one.trace.device_count, 1);
    assert_int_equal(one.trace.launch_count, 1);
    assert_int_equal(find_event(&one.trace, "kernel")->ts_ns, 100);
    assert_int_equal(tp_device_setup(&one.trace, find_event(&one.trace, "kernel")->detail)->device, 0);
    tp_arena_release(&all.arena);
    tp_arena_release(&one.arena);
}

static void code_of_the_file_never_runs(void **state)
{
    static const char *const scripts[] = {
        TABLES "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 30 AS start, 60 AS end, 0 AS deviceId, 7 AS streamId;",
        TABLES "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end, deviceId, streamId, start AS (30)); "
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (60, 0, 7);",
        TABLES "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING rtree(id, start, end);"};
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        static struct reading r;
        assert_int_equal(read_script(&r, scripts[i]), TP_OK);
        assert_int_equal(r.trace.device_count, 0);
        assert_int_equal(r.trace.input.unknown & TP_UNKNOWN_KERNELS, TP_UNKNOWN_KERNELS);
        tp_arena_release(&r.arena);
    }
}

static void databases_of_others_are_refused(void **state)
{
    static struct reading r;
    (void)state;
    assert_int_equal(read_script(&r, "CREATE TABLE notes (x); CREATE TABLE tags (y);"), TP_EFORMAT);
    assert_string_equal(r.err.text, "is an SQLite database that tracepress does not know (tables: notes, tags)");
    tp_arena_release(&r.arena);
    assert_int_equal(read_script(&r, "CREATE TABLE StringIds (id, value); CREATE TABLE OSRT_API (start);"), TP_EFORMAT);
    assert_string_equal(r.err.text, "is an Nsight Systems export without CUDA rows: record with --trace=cuda,nvtx");
    tp_arena_release(&r.arena);
}

/* Returns the text of the stack of a sample. */
static struct tp_str stack_of_sample(const struct tp_trace *trace, uint32_t sample)
{
    return tp_strings_get(&trace->stack_texts, trace->samples[sample].stack);
}

static void calls_and_samples_are_read(void **state)
{
    static struct reading r;
    (void)state;
    assert_int_equal(
        read_script(
            &r, TABLES KERNELS
            "INSERT INTO StringIds VALUES (7, 'poll'), (8, 'f;g'), (9, '/lib/a.so'), (10, '0x12');"
            "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
            "INSERT INTO OSRT_API VALUES (1, 4, 9 << 24 | 5, 7), (1, 4, 8 << 24 | 5, 7), (4, 1, 9 << 24, 7);"
            "CREATE TABLE COMPOSITE_EVENTS (id, start, globalTid);"
            "INSERT INTO COMPOSITE_EVENTS VALUES (1, 5, 9 << 24 | 3), (2, 6, 8 << 24 | 3), (3, 7, 9 << 24 | 5);"
            "CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, stackDepth);"
            "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 10, 9, 1), (1, 8, 9, 0), (2, 8, 9, 0), (3, 'main', NULL, 0);"),
        TP_OK);
    const struct tp_trace *trace = &r.trace;
    assert_int_equal(trace->input.os_call_count, 1);
    assert_int_equal(trace->input.os_calls[0].dur_ns, 3);
    assert_true(tp_str_equal(tp_strings_get(&trace->texts, trace->input.os_calls[0].name), TP_STR("poll")));
    assert_int_equal(trace->threads[trace->input.os_calls[0].thread].tid.number, 5);
    assert_true(trace->input.has_untimed_samples);
    assert_int_equal(trace->sample_count, 2);
    assert_true(tp_str_equal(stack_of_sample(trace, 0), TP_STR("f,g [a.so];[unknown in a.so]")));
    assert_true(tp_str_equal(stack_of_sample(trace, 1), TP_STR("main")));
    tp_arena_release(&r.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_events),
        cmocka_unit_test(missing_data_is_reported),
        cmocka_unit_test(missing_device_rows_are_unknown),
        cmocka_unit_test(each_process_is_a_part),
        cmocka_unit_test(code_of_the_file_never_runs),
        cmocka_unit_test(databases_of_others_are_refused),
        cmocka_unit_test(calls_and_samples_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
