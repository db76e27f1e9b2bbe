/* Tests ranges on rows of their own kind, with chosen times. Records that follow each other can have equal times in the
 * trace, because the unit of the trace is a nanosecond. */
#include "collector/recorder.h"
#include "tests/unit/recorded_slice.h"

enum { UNIT = 100000 }; /* ticks between two chosen times: at least some microseconds */

static uint64_t start; /* earliest chosen time, ticks */

static int begin_recording_with_times(void **state)
{
    (void)state;
    int code = begin_text_recording();
    for (start = tp_clock_now(); tp_clock_now() < start + 10 * UNIT;)
        ; /* all chosen times must be in the past */
    return code;
}

/* Writes a record as if the recording's clock had returned the time `at` (from 0 to 9). */
static void write_record_at(uint64_t at, const char *name, uint8_t kind, const void *payload, size_t size)
{
    tp_record_write(tracepress_intern(name), kind, payload, size);
    assert_non_null(tp_cursor.at);
    (tp_cursor.at - size / TP_SPOOL_SLOT - 1)->time = start + at * UNIT;
}

static void write_start(uint64_t at, const char *name, uint64_t key)
{
    const struct tp_spool_mark mark = {.form = TP_SPOOL_FORM_FRAME, .has_more = 1, .key = key};
    write_record_at(at, name, TP_SPOOL_MARK_START, &mark, sizeof mark);
}

static void write_finish(uint64_t at, uint64_t key)
{
    const struct tp_spool_async finished = {.id = key};
    write_record_at(at, "", TP_SPOOL_MARK_FINISH, &finished, sizeof finished);
}

static void write_fact(uint64_t at, const char *name, uint64_t key, uint64_t value)
{
    const struct {
        struct tp_spool_fact_head head;
        uint64_t values[2];
    } fact = {{.key = key, .count = 1, .type = TP_SPOOL_UNSIGNED}, {value, 0}};
    write_record_at(at, name, TP_SPOOL_MARK_FACT, &fact, sizeof fact);
}

/* Tests a range that ends at the time at which another range starts, although the calls had the other order. */
static void ranges_that_touch_share_a_row(void **state)
{
    (void)state;
    write_start(0, "first", 1);
    write_start(1, "second", 2);
    write_finish(1, 1);
    write_start(2, "third", 3);
    write_finish(3, 2);
    write_finish(4, 3);
    tracepress_stop();
    struct slice first = find_event("first", 0), second = find_event("second", 0), third = find_event("third", 0);
    assert_true(first.dur_ns > 0 && second.start_ns == first.start_ns + first.dur_ns);
    assert_true(third.start_ns < second.start_ns + second.dur_ns);
    assert_true(first.tid == second.tid && is_row_named(first.tid, "NVTX frames"));
    assert_true(is_row_named(third.tid, "NVTX frames (2)"));
}

/* Tests ranges with the same key, each of which starts at the time at which the range before it ends. Ends and facts
 * must belong to the range that was open during the call. */
static void ranges_with_equal_keys_stay_in_order(void **state)
{
    enum { FRAMES = 4 };
    struct slice before = {.kind = 0};
    char fact[32];
    (void)state;
    for (uint64_t i = 0; i < FRAMES; i++) {
        write_start(i, "frame", 1);
        write_fact(i, "number", 1, i);
        write_finish(i + 1, 1);
    }
    tracepress_stop();
    for (int i = 0; i < FRAMES; i++) {
        struct slice frame = find_event("frame", i);
        snprintf(fact, sizeof fact, "\"args\":{\"number\":%d,", i);
        if (!has_line_text(&frame, fact))
            fail_msg("no %s in %s", fact, frame.line);
        assert_true(frame.kind == 'X' && frame.dur_ns > 0 && is_row_named(frame.tid, "NVTX frames"));
        assert_true(i == 0 || frame.start_ns == before.start_ns + before.dur_ns);
        before = frame;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranges_that_touch_share_a_row, begin_recording_with_times, end_text_recording),
        cmocka_unit_test_setup_teardown(ranges_with_equal_keys_stay_in_order, begin_recording_with_times,
                                        end_text_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
