/* Tests the view of a program recorded from outside: parts of the wall time, processes, functions. */
#include <math.h>

#include "webreport/model/tree_threads.h"

#include "program_events.h" /* included last, because other headers use the names of its functions for parameters */

static int64_t wall_part_time_us(unsigned part)
{
    return view.parts.part_ns[part] / 1000;
}

static void assert_command(size_t row, const char *wanted, int64_t depth)
{
    struct tp_str command = tp_table_text(&view.processes, TP_PROGRAM_PROCESS_COMMAND)[row];
    if (!tp_str_equal(command, tp_str_of(wanted)))
        fail_msg("process %zu is %.*s, not %s", row, (int)command.len, command.ptr, wanted);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_DEPTH)[row], depth);
}

/* ---- wall ---- */

static void parts_add_up_to_the_wall_time(void **state)
{
    (void)state;
    /* Thread 1 runs from 0 to 10 us, waits for the disk until 30 us, and runs until 40 us. Thread 2 waits for a pipe
     * from 5 to 20 us, is ready until 35 us, and runs until 50 us. */
    write_process(1, 0, 0, 50, 0);
    write_running_state(1, 1, 0, 10);
    write_blocked_state(1, 1, 10, 30, "disk");
    write_running_state(1, 1, 30, 40);
    write_blocked_state(1, 2, 5, 20, "pipe");
    state_of(1, 2, "ready", 20, 35, "");
    write_running_state(1, 2, 35, 50);
    build_program_view();
    assert_int_equal(view.parts.wall_ns, 50000);
    assert_int_equal(wall_part_time_us(TP_WALL_RUNNING), 30); /* one or both threads run from 0 to 10 and 30 to 50 us */
    assert_int_equal(wall_part_time_us(TP_WALL_READY), 10);   /* no thread runs from 20 to 30 us, but one is ready */
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_DISK), 10);
    /* 0, because a disk wait of the other thread has priority */
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_PIPE), 0);
    /* from 35 to 40 us both threads run, so busy_ns includes this time twice */
    assert_int_equal(view.parts.busy_ns, 35000);
    assert_int_equal(view.state_ns[TP_STATE_RUNNING], 35000);
    assert_int_equal(view.state_ns[TP_STATE_READY], 15000);
    assert_int_equal(view.state_ns[TP_STATE_BLOCKED], 35000);
    assert_int_equal(view.wake_up_count, 2);
}

static void time_without_threads_is_left_out(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 10);
    write_running_state(1, 2, 90, 100);
    build_program_view();
    assert_int_equal(view.parts.wall_ns, 20000);
    assert_int_equal(wall_part_time_us(TP_WALL_RUNNING), 20);
}

static void idle_workers_are_no_wait(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 30);
    write_blocked_state(1, 1, 30, 100, "poll");
    write_blocked_state(1, 2, 0, 100, "lock");
    build_program_view();
    assert_int_equal(wall_part_time_us(TP_WALL_RUNNING), 30);
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_POLL), 70);
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_LOCK), 0);
    assert_int_equal(view.parts.idle_ns, 70000);
}

static void overlapping_states_are_clipped(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 10);
    /* overlaps the first state, so only the part of this state from 10 us on is used */
    write_blocked_state(1, 1, 5, 20, "disk");
    state_of(1, 1, "ready", 12, 18, "");
    write_running_state(1, 1, 30, 25); /* ends before it begins, so this state is invalid */
    state_of(1, 1, "asleep", 30, 40, "");
    build_program_view();
    assert_int_equal(view.state_ns[TP_STATE_RUNNING], 10000);
    assert_int_equal(view.state_ns[TP_STATE_BLOCKED], 10000);
    assert_int_equal(view.state_ns[TP_STATE_READY], 0);
    assert_int_equal(view.tree.overlapping_state_count, 2);
    assert_int_equal(view.parts.wall_ns, 20000);
}

static void unseen_causes_stay_unknown(void **state)
{
    (void)state;
    write_blocked_state(1, 1, 0, 30, "disk");
    state_of(1, 1, "blocked", 30, 40, "");
    state_of(1, 1, "blocked", 40, 60, "\"cause\":\"disk\",\"estimated\":1"); /* the recorder has estimated the cause of
                                                                              * this wait */
    write_blocked_state(1, 2, 60, 65, "something new");
    build_program_view();
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_DISK), 30);
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_UNKNOWN), 35);
    assert_int_equal(view.waits.count, 2);
    assert_int_equal(view.waits.groups[0].cause, TP_WAIT_UNKNOWN);
    assert_int_equal(view.waits.groups[0].total_ns, 35000);
    assert_int_equal(view.waits.groups[0].estimated_ns, 20000);
}

static void wait_ended_by_child_exit_has_cause_child(void **state)
{
    (void)state;
    write_process(1, 0, 0, 100000, 0);
    write_process(2, 1, 10000, 50000, 0);
    write_running_state(2, 2, 10000, 50000);
    write_running_state(1, 1, 0, 10100);
    /* does not end with the child's exit, but because the child has written something */
    state_of(1, 1, "blocked", 10100, 30000, "");
    write_running_state(1, 1, 30000, 31000);
    state_of(1, 1, "blocked", 31000, 50200, "");
    write_running_state(1, 1, 50200, 60000);
    state_of(1, 1, "blocked", 60000, 100000, ""); /* no child exits in this wait */
    /* also waits for the child, but ends later than the wait of thread 1, so only the wait of thread 1 is a wait for
     * the child */
    state_of(1, 3, "blocked", 11000, 52000, "");
    build_program_view();
    const struct tp_wait_group *child = NULL;
    for (uint32_t i = 0; i < view.waits.count; i++)
        child = view.waits.groups[i].cause == TP_WAIT_CHILD ? &view.waits.groups[i] : child;
    assert_non_null(child);
    assert_int_equal(child->total_ns, 39100000);
    assert_int_equal(child->count, 2);
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_UNKNOWN), 40000);
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_CHILDREN));
}

static void recorder_threads_are_left_out(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 10);
    add_event(
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"thread 2 (tracepress)\"}}");
    write_blocked_state(1, 2, 0, 30, "lock");
    write_running_state(1, 2, 30, 40);
    write_cpu_sample(1, 2, 35, "drain [x];");
    write_cpu_sample(1, 1, 5, "main [x];");
    build_program_view();
    assert_int_equal(view.threads.row_count, 1);
    assert_int_equal(view.waits.count, 0);
    assert_int_equal(view.parts.wall_ns, 10000);
    assert_int_equal(view.function_rows.row_count, 1);
    assert_int_equal(trace.recorder.thread_count, 1);
    assert_int_equal(trace.recorder.running_ns, 10000);
}

static void tracepress_as_program_keeps_its_threads(void **state)
{
    (void)state;
    for (int tid = 1; tid <= 2; tid++)
        add_event("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"tracepress\"}}",
                  tid);
    write_running_state(1, 1, 0, 10);
    write_running_state(1, 2, 0, 30);
    build_program_view();
    assert_int_equal(view.threads.row_count, 2);
    assert_int_equal(trace.recorder.thread_count, 0);
}

static void waits_for_recorder_locks_count_as_recording(void **state)
{
    (void)state;
    state_of(1, 1, "blocked", 0, 30,
             "\"cause\":\"lock\",\"stack\":\"./nptl/pthread_mutex_timedlock.c(88): __pthread_mutex_clocklock_common;f "
             "[x];\"");
    state_of(
        1, 1, "blocked", 30, 40,
        "\"cause\":\"lock\",\"stack\":\"__pthread_mutex_clocklock_common [libc.so.6];std::timed_mutex::lock [x];\"");
    write_blocked_state(1, 2, 40, 45, "recording"); /* the recorder itself marks this wait */
    build_program_view();
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_RECORDING), 35);
    assert_int_equal(wall_part_time_us(TP_WALL_WAITS + TP_WAIT_LOCK), 10);
    assert_int_equal(view.recording.wait_ns, 35000);
    assert_int_equal(view.recording.wait_count, 2);
    assert_int_equal(tp_table_text(&view.wait_rows, TP_PROGRAM_WAIT_STACK)[0].len, 0);
}

static void kernel_work_for_events_counts_as_recording(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 30);
    write_cpu_sample(
        1, 1, 1,
        "native_write_msr [kernel];irq_work_queue [kernel];perf_event_fork [kernel];copy_process [kernel];f [x];");
    write_cpu_sample(1, 1, 2, "inherit_event.isra.0 [kernel];copy_process [kernel];g [x];");
    /* this sample reads the program's own perf events, so it is no cost of the recorder */
    write_cpu_sample(1, 1, 3, "perf_event_read [kernel];perf_read [kernel];vfs_read [kernel];h [x];");
    build_program_view();
    assert_int_equal(view.recording.sample_ns, 20000);
    assert_int_equal(view.recording.sample_count, 2);
    assert_int_equal(view.kernel_ns, 10000);
    assert_true(
        tp_str_equal(tp_table_text(&view.function_rows, TP_PROGRAM_FUNCTION_NAME)[0], TP_STR(TP_RECORDING_FUNCTION)));
}

static void absurd_times_do_not_overflow(void **state)
{
    (void)state;
    add_event("{\"ph\":\"X\",\"cat\":\"thread_state\",\"name\":\"running\",\"pid\":1,\"tid\":1,\"ts\":2000000000000000,"
              "\"dur\":2000000000000000}");
    add_event(
        "{\"ph\":\"X\",\"cat\":\"thread_state\",\"name\":\"running\",\"pid\":1,\"tid\":2,\"ts\":-2000000000000000,"
        "\"dur\":2000000000000000}");
    add_event(
        "{\"ph\":\"X\",\"cat\":\"process\",\"name\":\"p\",\"pid\":1,\"tid\":1,\"ts\":-2000000000000000,"
        "\"dur\":2000000000000000,\"args\":{\"ppid\":1,\"peak resident bytes\":99999999999999999999,\"execs\":5}}");
    add_event("{\"ph\":\"C\",\"name\":\"process memory\",\"pid\":1,\"tid\":0,\"ts\":0,\"args\":{"
              "\"resident bytes\":1e300}}");
    build_program_view();
    assert_true(view.is_present);
    assert_true(view.parts.wall_ns > 0);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_PEAK)[0], TP_NULL_INT);
}

/* ---- processes ---- */

static void parents_come_before_children(void **state)
{
    (void)state;
    write_process(3, 1, 20, 30, 0);
    write_process(2, 1, 10, 40, 0);
    write_process(1, 0, 0, 50, 0);
    write_process(4, 2, 15, 16, 7);
    write_running_state(4, 4, 15, 16);
    write_running_state(1, 1, 0, 50);
    build_program_view();
    assert_int_equal(view.processes.row_count, 4);
    assert_command(0, "run p1", 0);
    assert_command(1, "run p2", 1);
    assert_command(2, "run p4", 2);
    assert_command(3, "run p3", 1);
    assert_int_equal(view.failed_count, 1);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_WALL)[3], 10000);
    assert_true(tp_str_equal(tp_table_text(&view.processes, TP_PROGRAM_PROCESS_EXIT)[2], TP_STR("7")));
}

static void circular_parents_become_roots(void **state)
{
    (void)state;
    write_process(1, 2, 0, 10, 0);
    write_process(2, 1, 0, 10, 0);
    write_process(3, 3, 0, 10, 0);
    write_running_state(1, 1, 0, 10);
    build_program_view();
    assert_command(0, "run p1", 0); /* process 2 started at the same time but comes later in the file */
    assert_command(1, "run p2", 1);
    assert_command(2, "run p3", 0);
}

static void reused_pid_is_another_process(void **state)
{
    (void)state;
    write_process(1, 0, 0, 100, 0);
    write_process(7, 1, 10, 20, 0);
    write_process(7, 1, 50, 60, 3);
    write_running_state(1, 1, 0, 100);
    write_running_state(7, 7, 10, 20);
    write_running_state(7, 7, 50, 55);
    write_cpu_sample(7, 7, 52, "f [x];");
    build_program_view();
    assert_int_equal(view.threads.row_count, 3);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_CPU)[1], 10000);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_CPU)[2], 5000);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_SAMPLES)[1], 0);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_SAMPLES)[2], 1);
}

static void many_processes_with_one_pid_are_fast(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        write_process(5, 5, 0, 1, 0);
    write_running_state(5, 5, 0, 1);
    build_program_view();
    assert_int_equal(view.processes.row_count, 100000);
    assert_int_equal(tp_table_int(&view.processes, TP_PROGRAM_PROCESS_DEPTH)[99999], 99999);
}

/* ---- functions ---- */

static void functions_add_up_to_cpu_time(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 10); /* three samples share 10 us: 3333, 3333 and 3334 ns */
    write_running_state(2, 2, 0, 7);  /* this thread has no sample */
    write_cpu_sample(1, 1, 1, "src/a.c(4): leaf;src/a.c(9): main;");
    write_cpu_sample(1, 1, 2, "src/a.c(5): leaf;src/a.c(5): leaf;src/a.c(9): main;");
    write_cpu_sample(1, 1, 3, "src/a.c(5): leaf;main.py(3): run;");
    build_program_view();
    assert_int_equal(view.function_rows.row_count, 3);
    const int64_t *self = tp_table_int(&view.function_rows, TP_PROGRAM_FUNCTION_SELF);
    const int64_t *total = tp_table_int(&view.function_rows, TP_PROGRAM_FUNCTION_TOTAL);
    assert_int_equal(self[0], 10000);
    assert_int_equal(total[0], 10000); /* the total time includes recursive calls only once */
    assert_int_equal(total[1], 6666);
    assert_int_equal(tp_table_int(&view.function_rows, TP_PROGRAM_FUNCTION_LINE)[0], 5);
    assert_int_equal(view.unsampled_ns, 7000);
    double p = 10.0 / 17, error = 196 * sqrt(p * (1 - p) / 3);
    assert_true(fabs(tp_table_real(&view.function_rows, TP_PROGRAM_FUNCTION_SELF_PERCENT)[0] - 100 * p) < 1e-9);
    assert_true(fabs(tp_table_real(&view.function_rows, TP_PROGRAM_FUNCTION_ERROR)[0] - error) < 1e-9);
    assert_true(tp_str_equal(tp_table_text(&view.function_rows, TP_PROGRAM_FUNCTION_KIND)[2], TP_STR("python")));
}

static void stack_ends_at_invalid_frame(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 10);
    write_cpu_sample(1, 1, 1, "io [kernel];read [libc.so.6];trampoline [kernel];main [x];");
    write_cpu_sample(1, 1, 2, "f [x];[unknown] [unknown];[unknown] [unknown];");
    write_cpu_sample(1, 1, 3, "[unknown] [unknown];");
    write_cpu_sample(1, 1, 4, "+0x12 [libm.so];");
    build_program_view();
    assert_int_equal(view.function_rows.row_count, 5); /* the rows are: io, read, f, [unknown], libm.so+0x12 */
    for (size_t i = 0; i < 5; i++) {
        struct tp_str name = tp_table_text(&view.function_rows, TP_PROGRAM_FUNCTION_NAME)[i];
        assert_false(tp_str_equal(name, TP_STR("trampoline")));
        assert_false(tp_str_equal(name, TP_STR("main")));
    }
    assert_int_equal(view.kernel_ns, 2500);
}

static void names_are_kept_unchanged(void **state)
{
    (void)state;
    write_process(1, 0, 0, 10, 0);
    add_event("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"thread 1 (a<b>)\"}}");
    state_of(1, 1, "blocked", 0, 10, "\"cause\":\"lock\",\"stack\":\"<img src=x> [li<b>];m [x];\"");
    build_program_view();
    assert_true(tp_str_equal(tp_table_text(&view.threads, TP_PROGRAM_THREAD_NAME)[0], TP_STR("a<b>")));
    assert_true(
        tp_str_equal(tp_table_text(&view.wait_rows, TP_PROGRAM_WAIT_STACK)[0], TP_STR("<img src=x> \xe2\x86\x90 m")));
}

static void trace_without_states_has_no_view(void **state)
{
    (void)state;
    write_cpu_sample(1, 1, 1, "f [x];");
    write_process(1, 0, 0, 10, 0);
    build_program_view();
    assert_false(view.is_present);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_event_text, end_event_text)
    const struct CMUnitTest tests[] = {TEST(parts_add_up_to_the_wall_time),
                                       TEST(time_without_threads_is_left_out),
                                       TEST(idle_workers_are_no_wait),
                                       TEST(overlapping_states_are_clipped),
                                       TEST(unseen_causes_stay_unknown),
                                       TEST(wait_ended_by_child_exit_has_cause_child),
                                       TEST(recorder_threads_are_left_out),
                                       TEST(tracepress_as_program_keeps_its_threads),
                                       TEST(waits_for_recorder_locks_count_as_recording),
                                       TEST(kernel_work_for_events_counts_as_recording),
                                       TEST(absurd_times_do_not_overflow),
                                       TEST(parents_come_before_children),
                                       TEST(circular_parents_become_roots),
                                       TEST(reused_pid_is_another_process),
                                       TEST(many_processes_with_one_pid_are_fast),
                                       TEST(functions_add_up_to_cpu_time),
                                       TEST(stack_ends_at_invalid_frame),
                                       TEST(names_are_kept_unchanged),
                                       TEST(trace_without_states_has_no_view)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
