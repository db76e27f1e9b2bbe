/* Tests how GPU records of a spool become events: their operators, rows and numbers. */
#include "writer/spool/spool_gpu.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/recorded.h"

static uint32_t tid;

static int begin_thread(void **state)
{
    tid = (uint32_t)syscall(SYS_gettid);
    return begin_recording_test(state);
}

/* ---- records as CUPTI delivers them ---- */

static void write_call_record(uint32_t correlation, uint64_t start, uint64_t stop, bool is_driver, const char *name)
{
    const struct tp_spool_gpu_call call = {
        .start = start, .end = stop, .correlation = correlation, .tid = tid, .is_driver = is_driver};
    tp_record_write(tracepress_intern(name), TP_SPOOL_GPU_CALL, &call, sizeof call);
}

static void write_kernel_record(uint32_t correlation, uint32_t context, uint64_t start, uint64_t stop, const char *name)
{
    const struct tp_spool_gpu_kernel kernel = {
        .work = {start, stop, correlation, 0, context, 7, 0, 0, 0}, .grid = {8, 1, 1}, .block = {128, 1, 1}};
    tp_record_write(tracepress_intern(name), TP_SPOOL_GPU_KERNEL, &kernel, sizeof kernel);
}

static void write_memory_record(uint32_t operation, uint32_t kind, uint64_t address, uint64_t bytes, uint64_t pool)
{
    const struct tp_spool_gpu_memory memory = {.time = tp_clock_now(),
                                               .address = address,
                                               .bytes = bytes,
                                               .operation = operation,
                                               .memory_kind = kind,
                                               .pool = pool};
    tp_record_write(0, TP_SPOOL_GPU_MEMORY, &memory, sizeof memory);
}

/* ---- reading the trace ---- */

static const struct tp_event *find_event(const char *name)
{
    for (uint32_t i = 0; i < trace.event_count; i++)
        if (tp_str_equal(tp_trace_event_name(&trace, &trace.events[i]), tp_str_of(name)))
            return &trace.events[i];
    return NULL;
}

static int64_t external_id_of_event(const char *name)
{
    const struct tp_event *event = find_event(name);
    assert_non_null(event);
    if (event->kind == TP_KIND_KERNEL)
        return trace.devices[event->detail].external_id;
    return event->kind == TP_KIND_RUNTIME ? trace.launches[event->detail].external_id
                                          : trace.hosts[event->detail].external_id;
}

/* ---- test cases ---- */

static void write_launch_and_kernel(uint32_t correlation, const char *name)
{
    uint64_t now = tp_clock_now();
    write_call_record(correlation, now, now + 1000, false, "cudaLaunchKernel");
    write_kernel_record(correlation, 1, now + 5000, now + 9000, name);
    while (tp_clock_now() < now + 2000) /* the ranges must end after the call */
        ;
}

static void work_belongs_to_the_innermost_operator_or_scope(void **state)
{
    (void)state;
    write_launch_and_kernel(1, "before");
    tracepress_begin_text("scope");
    write_launch_and_kernel(2, "in_scope");
    tracepress_operator_begin(tracepress_intern("outer"), NULL);
    tracepress_operator_begin(tracepress_intern("inner"), NULL);
    write_launch_and_kernel(3, "in_inner");
    tracepress_end();
    tracepress_begin_text("scope_inside");
    write_launch_and_kernel(4, "in_outer");
    tracepress_end();
    tracepress_end();
    tracepress_end();
    write_launch_and_kernel(5, "after");
    stop_and_convert_recording();
    assert_int_equal(external_id_of_event("before"), TP_NULL_INT);
    assert_int_equal(external_id_of_event("in_scope"), external_id_of_event("scope"));
    assert_int_equal(external_id_of_event("in_inner"), external_id_of_event("inner"));
    assert_int_equal(external_id_of_event("in_outer"), external_id_of_event("outer"));
    assert_int_equal(external_id_of_event("after"), TP_NULL_INT);
    unsigned seen = 0; /* the stream must have the kernels of both the outer and the inner scope */
    for (uint32_t i = 0; i < trace.event_count; i++)
        seen += trace.events[i].kind == TP_KIND_GPU_ANNOTATION;
    assert_int_equal(seen, 2);
}

static void a_driver_call_inside_a_runtime_call_is_not_written(void **state)
{
    uint64_t now = tp_clock_now();
    (void)state;
    write_call_record(1, now, now + 10000, false, "cudaLaunchKernel");
    write_call_record(1, now + 1000, now + 9000, true, "inside");
    write_call_record(2, now + 20000, now + 30000, true, "outside");
    write_kernel_record(1, 1, now + 12000, now + 15000, "kernel");
    stop_and_convert_recording();
    assert_null(find_event("inside"));
    assert_non_null(find_event("outside"));
    assert_int_equal(trace.devices[find_event("kernel")->detail].correlation, 1);
}

static void streams_with_equal_numbers_stay_separate(void **state)
{
    uint64_t now = tp_clock_now();
    (void)state;
    write_kernel_record(1, 1, now, now + 5000, "first");
    write_kernel_record(2, 2, now + 1000, now + 3000, "second");
    stop_and_convert_recording();
    assert_int_equal(trace.threads[find_event("first")->thread].tid.number, 7);
    assert_true(find_event("first")->thread != find_event("second")->thread);
    assert_int_equal(tp_device_setup(&trace, find_event("second")->detail)->stream, 7);
}

static void records_without_time_are_only_counted(void **state)
{
    uint64_t now = tp_clock_now();
    (void)state;
    write_kernel_record(1, 1, 0, 0, "never");
    write_kernel_record(2, 1, now, 0, "unfinished");
    stop_and_convert_recording();
    assert_null(find_event("never"));
    assert_int_equal(find_event("unfinished")->dur_ns, 0);
    assert_true(tp_str_equal(tp_trace_header(&trace, "tracepress_gpu_without_time"), TP_STR("1")));
}

static void memory_totals_add_up(void **state)
{
    static const int64_t allocated[] = {100, 300, 200, 700}, reserved[] = {100, 300, 200, 1200};
    const struct tp_spool_gpu_pool pool = {.address = 0x70, .size_bytes = 1000, .operation = 1};
    (void)state;
    write_memory_record(1, 3, 0x1000, 100, 0);
    write_memory_record(1, 3, 0x2000, 200, 0);
    write_memory_record(2, 3, 0x9000, 50, 0); /* frees a block that was allocated before the recording */
    write_memory_record(2, 3, 0x1000, 100, 0);
    write_memory_record(2, 3, 0x1000, 100, 0); /* frees the block a second time */
    struct tp_spool_gpu_pool now = pool;
    now.time = tp_clock_now();
    tp_record_write(0, TP_SPOOL_GPU_POOL, &now, sizeof now);
    write_memory_record(1, 3, 0x1000, 500,
                        0x70); /* allocates the same address again, from a pool with a size of 1000 bytes */
    write_memory_record(1, 2, 0x3000, 40, 0); /* allocates host memory */
    stop_and_convert_recording();
    assert_int_equal(trace.memory_count, 5);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tp_memory_place(&trace, &trace.memory[i])->type, 1);
        assert_int_equal(tp_memory_rare(&trace, &trace.memory[i])->total_allocated, allocated[i]);
        assert_int_equal(tp_memory_rare(&trace, &trace.memory[i])->total_reserved, reserved[i]);
    }
    assert_int_equal(tp_memory_place(&trace, &trace.memory[4])->type, 0);
    assert_int_equal(tp_memory_rare(&trace, &trace.memory[4])->total_allocated, 40);
}

static void kernel_names_are_demangled(void **state)
{
    uint64_t now = tp_clock_now();
    (void)state;
    write_kernel_record(1, 1, now, now + 10, "_Z3addIfEvPT_i");
    write_kernel_record(2, 1, now + 20, now + 30, "_Zbroken");
    stop_and_convert_recording();
    assert_non_null(find_event("void add<float>(float*, int)"));
    assert_non_null(find_event("_Zbroken"));
}

/* Tests payloads of one repeated byte value, complete or truncated. Some have times and sums at their limits. */
static void any_payload_becomes_strict_json(void **state)
{
    unsigned char bytes[256];
    (void)state;
    tracepress_begin_text("around");
    for (int kind = TP_SPOOL_GPU_DEVICE; kind < TP_SPOOL_GPU_END; kind++)
        for (int value = 0; value < 256; value += value < 3 ? 1 : 21)
            for (size_t size = 0; size <= sizeof bytes; size += 16) {
                memset(bytes, value, sizeof bytes);
                tp_record_write((uint32_t)value, (uint8_t)kind, bytes, size);
            }
    tracepress_end();
    stop_and_convert_recording();
    assert_true(result.broken_count > 100);
}

static void cupti_clock_is_distinguished_from_wall_clock(void **state)
{
    const int64_t ahead_ns = 3600000000000;
    struct tp_spool_clock now = tp_clock_read_all();
    struct tp_spool_gpu_clock pair = {now.realtime_ns + ahead_ns, now.ticks};
    (void)state;
    tp_record_write(0, TP_SPOOL_GPU_CLOCK, &pair, sizeof pair);
    tracepress_operator_begin(tracepress_intern("operator"), NULL);
    usleep(2000);
    struct tp_spool_clock then = tp_clock_read_all();
    uint64_t start = (uint64_t)(then.realtime_ns + ahead_ns);
    write_call_record(1, start, start + 1000, false, "cudaLaunchKernel");
    write_kernel_record(1, 1, start + 5000, start + 7000, "kernel");
    usleep(2000);
    tracepress_end();
    pair = (struct tp_spool_gpu_clock){then.realtime_ns + ahead_ns, then.ticks};
    tp_record_write(0, TP_SPOOL_GPU_CLOCK, &pair, sizeof pair);
    stop_and_convert_recording();
    assert_int_equal(external_id_of_event("kernel"), external_id_of_event("operator"));
    assert_in_range(find_event("kernel")->dur_ns, 1990, 2010);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_belongs_to_the_innermost_operator_or_scope, begin_thread,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(a_driver_call_inside_a_runtime_call_is_not_written, begin_thread,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(streams_with_equal_numbers_stay_separate, begin_thread, end_recording_test),
        cmocka_unit_test_setup_teardown(records_without_time_are_only_counted, begin_thread, end_recording_test),
        cmocka_unit_test_setup_teardown(memory_totals_add_up, begin_thread, end_recording_test),
        cmocka_unit_test_setup_teardown(kernel_names_are_demangled, begin_thread, end_recording_test),
        cmocka_unit_test_setup_teardown(any_payload_becomes_strict_json, begin_thread, end_recording_test),
        cmocka_unit_test_setup_teardown(cupti_clock_is_distinguished_from_wall_clock, begin_thread, end_recording_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
