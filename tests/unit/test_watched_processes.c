/* Tests which records belong to a recording of whole CPUs. A switch record names two threads, of which only the first
 * one is used. */
#include "collector/outside/tree/watched_processes.h"

#include <string.h>

#include "collector/outside/events/perf_record.h"
#include "tests/unit/one_arena.h"

static struct tp_watched_processes watched;

static void add_fork(uint64_t time_ns, uint32_t parent, uint32_t child)
{
    struct {
        struct perf_event_header head;
        uint32_t pid, parent_pid, tid, parent_tid;
        uint64_t time_ns;
        struct {
            uint32_t pid, tid;
            uint64_t time_ns, id;
        } trailer;
    } record = {{PERF_RECORD_FORK, 0, sizeof record}, child, parent, child, parent, time_ns,
                {parent, parent, time_ns, 1}};
    tp_watched_processes_store_fork(&watched, &record.head);
}

static void forks_of_several_cpus_are_sorted_by_time(void **state)
{
    (void)state;
    tp_watched_processes_init(&watched, &arena);
    tp_watched_processes_add(&watched, 10, 100);
    add_fork(300, 11, 12); /* the record of this fork arrives before the record of its parent's fork */
    add_fork(200, 10, 11);
    add_fork(250, 90, 91);
    tp_watched_processes_add_forks(&watched);
    assert_true(tp_watched_processes_has(&watched, 11));
    assert_true(tp_watched_processes_has(&watched, 12));
    assert_false(tp_watched_processes_has(&watched, 91));
    assert_false(tp_watched_processes_has(&watched, 90));
}

static void reused_number_is_another_process(void **state)
{
    (void)state;
    tp_watched_processes_init(&watched, &arena);
    tp_watched_processes_add(&watched, 10, 100);
    add_fork(50, 90, 10); /* the process started this child before it was added to the recording */
    tp_watched_processes_add_forks(&watched);
    assert_true(tp_watched_processes_has(&watched, 10));
    add_fork(200, 10, 11);
    add_fork(900, 90, 11);
    tp_watched_processes_add_forks(&watched);
    assert_false(tp_watched_processes_has(&watched, 11));
    add_fork(950, 10, 11);
    tp_watched_processes_add_forks(&watched);
    assert_true(tp_watched_processes_has(&watched, 11));
}

static void switch_record_gives_the_first_thread(void **state)
{
    struct {
        struct perf_event_header head;
        uint32_t next_pid, next_tid, pid, tid;
        uint64_t time_ns, id;
    } record = {{PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, sizeof record}, 1, 2, 30, 31, 500, 7};
    struct tp_perf_record r;
    (void)state;
    assert_true(tp_perf_record_read(&r, &record.head));
    assert_int_equal(r.type, PERF_RECORD_SWITCH);
    assert_int_equal(r.pid, 30);
    assert_int_equal(r.tid, 31);
    assert_int_equal(r.time_ns, 500);
    assert_true(r.is_out && !r.is_preempted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forks_of_several_cpus_are_sorted_by_time, begin, end),
        cmocka_unit_test_setup_teardown(reused_number_is_another_process, begin, end),
        cmocka_unit_test(switch_record_gives_the_first_thread),
    };
    return cmocka_run_group_tests_name("watched processes", tests, NULL, NULL);
}
