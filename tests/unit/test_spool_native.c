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

static void put_function(const void *function, uint8_t kind)
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct tp_spool_record *record = tp_record_reserve(0);
    assert_non_null(record);
    tp_record_done(record, (uint32_t)address, kind, 0, (uint32_t)(address >> 32 & UINT16_MAX));
}

static void put_region(uint8_t kind, const char *name, uint64_t number)
{
    const struct tp_spool_region region = {.threads = INT64_MIN, .number = number};
    tp_record_put(name ? tracepress_intern(name) : 0, kind, &region, sizeof region);
}

static void put_wait(const char *name, uint64_t start)
{
    const struct tp_spool_wait wait = {.begin = start, .bytes = 1000};
    tp_record_put(tracepress_intern(name), TP_SPOOL_WAIT, &wait, sizeof wait);
}

static void wait_one_tick(void)
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
    put_function((const void *)native_outer, TP_SPOOL_FUNCTION);
    put_function((const void *)native_inner, TP_SPOOL_FUNCTION);
    wait_one_tick();
    put_function((const void *)native_outer, TP_SPOOL_FUNCTION_END);
    finish();
    assert_int_equal(tp_event_end(find_event("native_inner")), tp_event_end(find_event("native_outer")));
    assert_true(is_inside(find_event("native_inner"), find_event("native_outer")));
    assert_int_equal(result.open_count, 0);
}

static void end_without_begin_is_ignored(void **state)
{
    (void)state;
    tp_session_list_modules();
    put_function((const void *)native_outer, TP_SPOOL_FUNCTION);
    put_function((const void *)native_inner, TP_SPOOL_FUNCTION_END);
    finish();
    assert_int_equal(result.open_count, 1);
    assert_int_equal(result.range_count, 1);
}

static void unknown_address_has_a_name(void **state)
{
    (void)state;
    put_function((const void *)(uintptr_t)0xffff12345678, TP_SPOOL_FUNCTION); // NOLINT(performance-no-int-to-ptr)
    finish();
    find_event("+0xffff12345678");
}

/* ---- waits ---- */

static void wait_is_clipped_to_its_enclosing_range(void **state)
{
    uint64_t before = tp_clock_now();
    (void)state;
    wait_one_tick();
    tracepress_begin_text("scope");
    put_wait("read", before);
    wait_one_tick();
    put_wait("backwards", tp_clock_now() + 1000000000);
    tracepress_end();
    finish();
    assert_true(is_inside(find_event("read"), find_event("scope")));
    assert_int_equal(find_event("backwards")->dur_ns, 0);
    assert_true(is_inside(find_event("backwards"), find_event("scope")));
}

/* ---- regions ---- */

static pthread_barrier_t barrier;

/* Runs a worker thread that gets the end of the region late or not at all. has_end: whether the thread gets the end. */
static void *run_worker(void *has_end)
{
    put_region(TP_SPOOL_REGION, "share", 1);
    put_region(TP_SPOOL_REGION, "barrier", 1);
    uint64_t start = tp_clock_now();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    wait_one_tick();
    put_wait("asleep", start);
    if (has_end) {
        put_region(TP_SPOOL_REGION_END, NULL, 0);
        put_region(TP_SPOOL_REGION_END, NULL, 0);
        tracepress_begin_text("next");
        tracepress_end();
    }
    return NULL;
}

static void run_region(void *has_end)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    put_region(TP_SPOOL_REGION, "region", 1);
    assert_int_equal(pthread_create(&thread, NULL, run_worker, has_end), 0);
    pthread_barrier_wait(&barrier);
    wait_one_tick();
    put_region(TP_SPOOL_REGION_END, NULL, 1);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    finish();
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
    run_region("told");
    assert_true(find_event("next")->ts_ns > tp_event_end(find_event("region")));
}

static void unfinished_worker_range_ends_with_its_region(void **state)
{
    (void)state;
    run_region(NULL);
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
    wait_one_tick();
    call.end = tp_clock_now();
    wait_one_tick(); /* simulates the time that the recorder needs to query MPI */
    tp_record_put(tracepress_intern("allgather"), TP_SPOOL_COLLECTIVE, &call, sizeof call);
    tp_record_put(0, TP_SPOOL_RANK, &rank, sizeof rank);
    finish();
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
        tp_record_put(0, (uint8_t)kind, "", 0);
    finish();
    assert_int_equal(result.broken_count, 4);
    assert_int_equal(result.range_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(abandoned_function_ends_with_its_caller, begin, end),
        cmocka_unit_test_setup_teardown(end_without_begin_is_ignored, begin, end),
        cmocka_unit_test_setup_teardown(unknown_address_has_a_name, begin, end),
        cmocka_unit_test_setup_teardown(wait_is_clipped_to_its_enclosing_range, begin, end),
        cmocka_unit_test_setup_teardown(worker_range_ends_with_its_region, begin, end),
        cmocka_unit_test_setup_teardown(unfinished_worker_range_ends_with_its_region, begin, end),
        cmocka_unit_test_setup_teardown(collective_is_written_like_torch, begin, end),
        cmocka_unit_test_setup_teardown(a_record_without_its_payload_is_counted, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
