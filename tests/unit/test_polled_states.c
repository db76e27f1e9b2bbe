/* Tests the states of a thread, computed from the kernel's totals at each poll. The intervals follow each other without
 * gaps and add up to the totals. A second test checks the message if the kernel refuses events. */
#include "collector/outside/waits/polled_states.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/outside/events/event_rights.h"
#include "collector/outside/waits/wait_causes.h"

enum { MS = 1000000, LOCK = 1, POLL = 2 };

static struct tp_polled_states states;
static struct tp_polled_interval intervals[TP_POLLED_INTERVALS];

static size_t split_time_since_last_poll(int64_t time_ms, int64_t running_ms, int64_t ready_ms, bool is_blocked,
                                         uint8_t wait)
{
    const struct tp_polled_states now = {
        .running_ns = running_ms * MS, .ready_ns = ready_ms * MS, .is_blocked = is_blocked, .wait = wait};
    return tp_polled_states_split_time(&states, intervals, time_ms * MS, &now);
}

static void assert_interval(size_t i, int64_t begin_ms, enum tp_thread_state state, uint8_t wait)
{
    assert_int_equal(intervals[i].begin_ns, begin_ms * MS);
    assert_int_equal(intervals[i].state, state);
    assert_int_equal(intervals[i].wait, wait);
}

static void continued_state_comes_first(void **state)
{
    (void)state;
    states = (struct tp_polled_states){.state = TP_STATE_READY};
    assert_int_equal(split_time_since_last_poll(10, 4, 1, true, LOCK),
                     3); /* gives three intervals: ready, running, waiting for a lock */
    assert_interval(0, 0, TP_STATE_READY, 0);
    assert_interval(1, 1, TP_STATE_RUNNING, 0);
    assert_interval(2, 5, TP_STATE_BLOCKED, LOCK);
    assert_int_equal(split_time_since_last_poll(20, 4, 1, true, 0),
                     0); /* the totals are unchanged, so there is no new interval */
    /* the thread got the lock; its wait ended when the thread became ready */
    assert_int_equal(split_time_since_last_poll(30, 7, 2, false, 0), 3);
    assert_interval(0, 10, TP_STATE_BLOCKED, LOCK);
    assert_interval(1, 26, TP_STATE_READY, 0);
    assert_interval(2, 27, TP_STATE_RUNNING, 0);
    assert_int_equal(states.since_ns, 30 * MS);
}

static void second_wait_starts_after_last_poll_of_the_first(void **state)
{
    (void)state;
    states = (struct tp_polled_states){.is_blocked = true, .wait = LOCK, .state = TP_STATE_BLOCKED};
    assert_int_equal(split_time_since_last_poll(400, 0, 0, true, LOCK), 0);
    assert_int_equal(split_time_since_last_poll(410, 2, 0, true, POLL), 3);
    assert_interval(0, 0, TP_STATE_BLOCKED, LOCK);
    assert_interval(1, 404, TP_STATE_RUNNING, 0);
    assert_interval(2, 406, TP_STATE_BLOCKED, POLL);
}

static void wait_between_two_polls_has_no_cause(void **state)
{
    (void)state;
    states = (struct tp_polled_states){.state = TP_STATE_RUNNING};
    assert_int_equal(split_time_since_last_poll(10, 6, 1, false, 0), 3);
    assert_interval(0, 0, TP_STATE_RUNNING, 0);
    assert_interval(1, 6, TP_STATE_BLOCKED, 0);
    assert_interval(2, 9, TP_STATE_READY, 0);
}

/* Tests that time which the kernel counts late is added later. The kernel counts ready time only when the thread runs
 * again, and running time up to a tick late. */
static void uncounted_time_is_added_later(void **state)
{
    int64_t sums[TP_STATE_COUNT] = {0}, end = 0;
    (void)state;
    states = (struct tp_polled_states){.state = TP_STATE_READY};
    for (int i = 1; i <= 100; i++) {
        size_t count = split_time_since_last_poll(10 * i, 10 * i + (i < 100 ? 3 : 0) - (i == 1 ? 1 : 0), 0, false, 0);
        for (size_t k = 0; k < count; k++)
            sums[intervals[k].state] +=
                (k + 1 < count ? intervals[k + 1].begin_ns : states.since_ns) - intervals[k].begin_ns;
        end = states.since_ns;
    }
    assert_int_equal(end, 1000 * MS);
    assert_int_equal(sums[TP_STATE_RUNNING] + sums[TP_STATE_READY] + sums[TP_STATE_BLOCKED], 1000 * MS);
    assert_int_equal(sums[TP_STATE_RUNNING], 1000 * MS);
    /* the thread is ready for 100 ms, which the kernel counts only at the next poll */
    assert_int_equal(split_time_since_last_poll(1100, 1000, 0, false, 0), 0);
    assert_int_equal(split_time_since_last_poll(1200, 1050, 150, false, 0), 2);
    assert_interval(0, 1000, TP_STATE_RUNNING, 0);
    assert_interval(1, 1050, TP_STATE_READY, 0);
}

static void remaining_time_keeps_the_last_state(void **state)
{
    (void)state;
    states = (struct tp_polled_states){.since_ns = 5 * MS, .is_blocked = true, .wait = LOCK, .polled_ns = 9 * MS};
    assert_int_equal(tp_polled_states_end(&states, intervals), 1);
    assert_interval(0, 5, TP_STATE_BLOCKED, LOCK);
    assert_int_equal(states.since_ns, 9 * MS);
    assert_int_equal(tp_polled_states_end(&states, intervals), 0);
}

static void refusal_message_names_the_remedy(void **state)
{
    (void)state;
    assert_non_null(strstr(tp_event_rights_advice(EACCES, 3), "perf_event_paranoid=2"));
    assert_non_null(strstr(tp_event_rights_advice(EPERM, 4), "perf_event_paranoid=2"));
    assert_non_null(strstr(tp_event_rights_advice(EPERM, 2), "--cap-add PERFMON"));
    assert_non_null(strstr(tp_event_rights_advice(ENOSYS, 99), "has no events"));
    assert_non_null(strstr(tp_event_rights_advice(EMFILE, 2), "ulimit"));
    assert_in_range(tp_event_paranoid_level() + 1, 0, 100);
    assert_true(tp_str_equal(tp_wait_cause_of_function(TP_STR("futex_wait_queue")), TP_STR("lock")));
    assert_int_equal(tp_wait_cause_of_function(TP_STR("0")).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continued_state_comes_first),
        cmocka_unit_test(second_wait_starts_after_last_poll_of_the_first),
        cmocka_unit_test(wait_between_two_polls_has_no_cause),
        cmocka_unit_test(uncounted_time_is_added_later),
        cmocka_unit_test(remaining_time_keeps_the_last_state),
        cmocka_unit_test(refusal_message_names_the_remedy),
    };
    return cmocka_run_group_tests_name("looked states", tests, NULL, NULL);
}
