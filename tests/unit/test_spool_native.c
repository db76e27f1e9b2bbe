/* Tests how records of programs that do not call tracepress become events: functions by address, waits, regions of
 * several threads, collectives. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/recorded.h"

/* ---- writing the records of the sources ---- */

static void write_function_record(const void *function, uint8_t kind)
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    assert_non_null(record);
    tp_record_finish(record, (uint32_t)address, kind, 0, (uint32_t)(address >> 32 & UINT16_MAX));
}

static void write_region_record(uint8_t kind, const char *name, uint64_t number)
{
    const struct tp_spool_region region = {.threads = INT64_MIN, .number = number};
    tp_record_write(name ? tracepress_intern(name) : 0, kind, &region, sizeof region);
}

static void write_wait_record(const char *name, uint64_t start)
{
    const struct tp_spool_wait wait = {.begin = start, .bytes = 1000};
    tp_record_write(tracepress_intern(name), TP_SPOOL_WAIT, &wait, sizeof wait);
}

static void wait_for_next_tick(void)
{
    for (uint64_t start = tp_clock_now(); tp_clock_now() < start + 100000;)
        ;
}

/* ---- reading the trace ---- */

static const struct tp_event *find_event(const char *name)
{
    for (uint32_t i = 0; i < trace.event_count; i++)
        if (tp_str_equal(tp_trace_event_name(&trace, &trace.events[i]), tp_str_of(name)))
            return &trace.events[i];
    fail_msg("no event is named %s", name);
    return NULL;
}

static bool is_inside(const struct tp_event *inner, const struct tp_event *outer)
{
    return inner->ts_ns >= outer->ts_ns && tp_event_end(inner) <= tp_event_end(outer);
}

/* ---- functions ---- */

void native_outer(void);
void native_inner(void);

void native_outer(void)
{
}

void native_inner(void)
{
}

static void abandoned_function_ends_with_its_caller(void **state)
{
    (void)state;
    tp_session_list_modules();
    write_function_record((const void *)native_outer, TP_SPOOL_FUNCTION);
    write_function_record((const void *)native_inner, TP_SPOOL_FUNCTION);
    wait_for_next_tick();
    write_function_record((const void *)native_outer, TP_SPOOL_FUNCTION_END);
    stop_and_convert_recording();
    assert_int_equal(tp_event_end(find_event("native_inner")), tp_event_end(find_event("native_outer")));
    assert_true(is_inside(find_event("native_inner"), find_event("native_outer")));
    assert_int_equal(result.open_count, 0);
}

static void end_without_begin_is_ignored(void **state)
{
    (void)state;
    tp_session_list_modules();
    write_function_record((const void *)native_outer, TP_SPOOL_FUNCTION);
    write_function_record((const void *)native_inner, TP_SPOOL_FUNCTION_END);
    stop_and_convert_recording();
    assert_int_equal(result.open_count, 1);
    assert_int_equal(result.range_count, 1);
}

static void unknown_address_has_a_name(void **state)
{
    (void)state;
    write_function_record((const void *)(uintptr_t)0xffff12345678,
                          TP_SPOOL_FUNCTION); // NOLINT(performance-no-int-to-ptr)
    stop_and_convert_recording();
    find_event("+0xffff12345678");
}

/* ---- waits ---- */

static void wait_is_clipped_to_its_enclosing_range(void **state)
{
    uint64_t before = tp_clock_now();
    (void)state;
    wait_for_next_tick();
    tracepress_begin_text("scope");
    write_wait_record("read", before);
    wait_for_next_tick();
    write_wait_record("backwards", tp_clock_now() + 1000000000);
    tracepress_end();
    stop_and_convert_recording();
    assert_true(is_inside(find_event("read"), find_event("scope")));
    assert_int_equal(find_event("backwards")->dur_ns, 0);
    assert_true(is_inside(find_event("backwards"), find_event("scope")));
}

/* ---- regions ---- */

static pthread_barrier_t barrier;

/* Runs a worker thread that gets the end of the region late or not at all. has_end: whether the thread gets the end. */
static void *record_worker_range(void *has_end)
{
    write_region_record(TP_SPOOL_REGION, "share", 1);
    write_region_record(TP_SPOOL_REGION, "barrier", 1);
    uint64_t start = tp_clock_now();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    wait_for_next_tick();
    write_wait_record("asleep", start);
    if (has_end) {
        write_region_record(TP_SPOOL_REGION_END, NULL, 0);
        write_region_record(TP_SPOOL_REGION_END, NULL, 0);
        tracepress_begin_text("next");
        tracepress_end();
    }
    return NULL;
}

static void record_region_with_worker(void *has_end)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    write_region_record(TP_SPOOL_REGION, "region", 1);
    assert_int_equal(pthread_create(&thread, NULL, record_worker_range, has_end), 0);
    pthread_barrier_wait(&barrier);
    wait_for_next_tick();
    write_region_record(TP_SPOOL_REGION_END, NULL, 1);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    stop_and_convert_recording();
    const struct tp_event *region = find_event("region");
    assert_int_equal(tp_event_end(find_event("share")), tp_event_end(region));
    assert_int_equal(tp_event_end(find_event("barrier")), tp_event_end(region));
    assert_int_equal(tp_event_end(find_event("asleep")), tp_event_end(region));
    assert_true(region->dur_ns > 0 && find_event("asleep")->dur_ns > 0);
    assert_int_equal(result.open_count, 0);
}

static void worker_range_ends_with_its_region(void **state)
{
    (void)state;
    record_region_with_worker("told");
    assert_true(find_event("next")->ts_ns > tp_event_end(find_event("region")));
}

static void unfinished_worker_range_ends_with_its_region(void **state)
{
    (void)state;
    record_region_with_worker(NULL);
}

/* ---- collectives ---- */

static void collective_is_written_like_torch(void **state)
{
    const struct tp_spool_rank rank = {2, 8, 1, 0};
    struct tp_spool_collective call = {.begin = tp_clock_now(),
                                       .in_count = 100,
                                       .out_count = 800,
                                       .dtype = TRACEPRESS_DOUBLE,
                                       .group_size = 8,
                                       .peer = INT64_MIN,
                                       .sequence = 5};
    (void)state;
    wait_for_next_tick();
    call.end = tp_clock_now();
    wait_for_next_tick(); /* simulates the time that the recorder needs to query MPI */
    tp_record_write(tracepress_intern("allgather"), TP_SPOOL_COLLECTIVE, &call, sizeof call);
    tp_record_write(0, TP_SPOOL_RANK, &rank, sizeof rank);
    stop_and_convert_recording();
    const struct tp_event *comms = find_event("record_param_comms"), *host = find_event("mpi:allgather");
    assert_int_equal(comms->ts_ns, host->ts_ns);
    assert_int_equal(comms->dur_ns, host->dur_ns);
    assert_int_equal(trace.comm_count, 1);
    assert_int_equal(trace.comms[0].in_count, 100);
    assert_int_equal(trace.comms[0].out_count, 800);
    assert_int_equal(trace.comms[0].sequence, 5);
    struct tp_str place = tp_trace_header(&trace, "distributedInfo");
    assert_true(tp_str_find(place, "\"rank\":2") >= 0 && tp_str_find(place, "\"world_size\":8") >= 0);
}

/* ---- damage ---- */

static void a_record_without_its_payload_is_counted(void **state)
{
    (void)state;
    for (int kind = TP_SPOOL_WAIT; kind <= TP_SPOOL_REGION_END; kind++)
        tp_record_write(0, (uint8_t)kind, "", 0);
    stop_and_convert_recording();
    assert_int_equal(result.broken_count, 4);
    assert_int_equal(result.range_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(abandoned_function_ends_with_its_caller, begin_recording_test,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(end_without_begin_is_ignored, begin_recording_test, end_recording_test),
        cmocka_unit_test_setup_teardown(unknown_address_has_a_name, begin_recording_test, end_recording_test),
        cmocka_unit_test_setup_teardown(wait_is_clipped_to_its_enclosing_range, begin_recording_test,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(worker_range_ends_with_its_region, begin_recording_test, end_recording_test),
        cmocka_unit_test_setup_teardown(unfinished_worker_range_ends_with_its_region, begin_recording_test,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(collective_is_written_like_torch, begin_recording_test, end_recording_test),
        cmocka_unit_test_setup_teardown(a_record_without_its_payload_is_counted, begin_recording_test,
                                        end_recording_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
