/* Tests the verdict and the findings of a program recorded from outside. */
#include <math.h>

#include "webreport/measure/program/program_verdict.h"

#include "program_events.h" /* included last, because other headers use the names of its functions for parameters */

/* ---- verdict ---- */

static void assert_rule(enum tp_program_rule rule)
{
    build_program_view();
    if (view.rule != rule)
        fail_msg("rule %s, not %s: %.*s", tp_program_rule_id(view.rule), tp_program_rule_id(rule),
                 (int)view.headline.len, view.headline.ptr);
    tp_arena_release(&arena);
    tp_buf_clear(&text);
}

static void add_wait_and_run(const char *cause, int wait_ms, int run_ms)
{
    write_blocked_state(1, 1, 0, wait_ms * 1000, cause);
    write_running_state(1, 1, wait_ms * 1000, (wait_ms + run_ms) * 1000);
}

static void first_matching_rule_decides(void **state)
{
    static const struct {
        const char *cause;
        int wait_ms, run_ms;
        enum tp_program_rule rule;
    } cases[] = {{"disk", 60, 39, TP_PROGRAM_TOO_SHORT},
                 {"poll", 910, 90, TP_PROGRAM_IDLE},
                 {"poll", 900, 100, TP_PROGRAM_MIXED},
                 {"signal", 950, 50, TP_PROGRAM_IDLE},
                 {"disk", 500, 500, TP_PROGRAM_WAITS_FOR_DISK},
                 {"disk", 333, 667, TP_PROGRAM_CPU_BOUND}, /* the wait is less than half of the running time */
                 {"disk", 334, 666, TP_PROGRAM_WAITS_FOR_DISK},
                 {"socket", 900, 100, TP_PROGRAM_WAITS_FOR_SOCKET},
                 {"terminal", 900, 100, TP_PROGRAM_WAITS_FOR_TERMINAL},
                 {"sleep", 900, 100, TP_PROGRAM_SLEEPS},
                 {"lock", 900, 100, TP_PROGRAM_WAITS_FOR_LOCK},
                 {"child", 390, 610, TP_PROGRAM_CPU_BOUND},
                 {"child", 900, 100, TP_PROGRAM_MIXED}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_wait_and_run(cases[i].cause, cases[i].wait_ms, cases[i].run_ms);
        assert_rule(cases[i].rule);
    }
    add_wait_and_run("poll", 950, 50);
    write_blocked_state(1, 2, 0, 1000000, "lock"); /* adds an idle worker thread, which changes nothing */
    assert_rule(TP_PROGRAM_IDLE);
    add_wait_and_run("poll", 950, 50);
    write_blocked_state(1, 2, 0, 1000000, "sleep");
    assert_rule(TP_PROGRAM_SLEEPS);
    write_running_state(1, 1, 0, 200000);
    state_of(1, 1, "ready", 200000, 401000, "");
    assert_rule(TP_PROGRAM_WAITS_FOR_CPU);
    write_running_state(1, 1, 0, 200000);
    state_of(1, 1, "ready", 200000, 400000, ""); /* the ready time is not longer than the running time */
    assert_rule(TP_PROGRAM_CPU_BOUND);
    write_running_state(1, 1, 0, 300000);
    state_of(1, 1, "ready", 300000, 590000, "");
    write_blocked_state(1, 1, 590000, 1000000, "pipe");
    assert_rule(TP_PROGRAM_MIXED);
    write_running_state(1, 1, 0, 1000);
    for (int i = 0; i < 20; i++)
        write_cpu_sample(1, 1, i, "f [x];");
    assert_rule(TP_PROGRAM_CPU_BOUND); /* the program is short, but has enough samples */
}

static void assert_headline(const char *expected)
{
    if (!tp_str_equal(view.headline, tp_str_of(expected)))
        fail_msg("%.*s", (int)view.headline.len, view.headline.ptr);
}

static void headline_names_the_function(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 20; i++)
        write_cpu_sample(1, 1, i, i < 12 ? "src/a.c(7): hot;" : "g [x];");
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_RUNNING);
    assert_true(tp_str_equal(tp_program_function_at(&view.functions, view.story.hottest)->name, TP_STR("hot")));
    assert_headline("The program runs for 100 % of the time, 60 % of it in hot(): make it cheaper, or call it less "
                    "often.");
}

static void python_program_names_its_own_function(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 20; i++)
        write_cpu_sample(1, 1, i,
                         i < 9    ? "alloc [python3];new [python3];a.py(7): work;main [python3];"
                         : i < 13 ? "a.py(8): work;"
                         : i < 16 ? "alloc [python3];/usr/lib/python3.11/json.py(1): loads;a.py(8): work;"
                                  : "alloc [python3];main [python3];");
    build_program_view();
    assert_headline("The program runs for 100 % of the time, 80 % of it in work(): make it cheaper, or call it less "
                    "often.");
    assert_true(tp_str_equal(view.advice, TP_STR("Inside work(), alloc takes the most time, 75 %.")));
    assert_int_equal(view.findings[0].kind, TP_PROGRAM_FINDS_FUNCTION);
    assert_string_equal(view.findings[0].title, "Make `work` cheaper, or call it less often");
    assert_non_null(strstr(view.findings[0].detail, "work (a.py:7) and the C code that it calls take 800.0 ms of CPU"));
    assert_true(view.findings[0].time_ns == 800000000 && view.python.sample_count == 16);
    tp_arena_release(&arena);
    tp_buf_clear(&text);
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 20; i++)
        write_cpu_sample(1, 1, i, i < 9 ? "a.py(7): work;" : "hot [x];");
    build_program_view();
    /* Python samples are a minority, as in a C program with an embedded interpreter */
    assert_true(view.python.function == TP_NO_ID);
    assert_headline("The program runs for 100 % of the time, 55 % of it in hot(): make it cheaper, or call it less "
                    "often.");
}

static void headline_names_the_waiting_function(void **state)
{
    (void)state;
    state_of(1, 1, "blocked", 0, 900000,
             "\"cause\":\"lock\",\"stack\":\"__futex [libc.so.6];src/q.c(31): take;src/q.c(60): main;\"");
    write_running_state(1, 1, 900000, 1000000);
    build_program_view();
    assert_headline(
        "The program waits for a lock for 90 % of the time, mostly in take(): hold the lock for less time.");
}

static void wait_in_python_names_the_users_function(void **state)
{
    (void)state;
    state_of(1, 1, "blocked", 0, 100000, "\"cause\":\"sleep\",\"stack\":\"nanosleep [libc.so.6];a.py(9): nap;\"");
    state_of(1, 1, "blocked", 100000, 900000,
             "\"cause\":\"sleep\",\"stack\":\"nanosleep [libc.so.6];pysleep [python3];"
             "/usr/lib/python3.11/threading.py(3): wait;/x/lib/python3.11/site-packages/p/a.py(7): nap;call [python3];"
             "<string>(2): main;\"");
    write_running_state(1, 1, 900000, 1000000);
    build_program_view();
    assert_headline(
        "The program sleeps for 90 % of the time, mostly in nap(): wait for an event instead of a fixed time.");
    assert_true(tp_str_equal(tp_table_text(&view.wait_rows, TP_PROGRAM_WAIT_STACK)[0],
                             TP_STR("nanosleep \xe2\x86\x90 wait \xe2\x86\x90 nap \xe2\x86\x90 main")));
}

/* ---- findings ---- */

static void findings_need_enough_samples(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 9; i++)
        write_cpu_sample(1, 1, i, "gomp_barrier [libgomp.so.1];");
    build_program_view();
    assert_int_equal(view.finding_count, 0); /* nine samples are too few for a finding */
    tp_arena_release(&arena);
    tp_buf_clear(&text);
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 10; i++)
        write_cpu_sample(1, 1, i, "gomp_barrier [libgomp.so.1];");
    build_program_view();
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_SPINNING));
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_SPINNING)->time_ns, 1000000000);
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_FUNCTION));
}

static void idle_worker_is_no_lock_contention(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) { /* thread 2 waits for work and hardly runs */
        write_running_state(1, 1, i * 10000, i * 10000 + 10000);
        write_blocked_state(1, 2, i * 10000, i * 10000 + 9990, "lock");
        write_running_state(1, 2, i * 10000 + 9990, i * 10000 + 10000);
    }
    build_program_view();
    assert_null(find_program_finding(TP_PROGRAM_FINDS_LOCK));
    tp_arena_release(&arena);
    tp_buf_clear(&text);
    for (int i = 0; i < 20; i++) { /* two threads hold the lock alternately */
        write_running_state(1, 1 + i % 2, i * 10000, i * 10000 + 10000);
        write_blocked_state(1, 2 - i % 2, i * 10000, i * 10000 + 10000, "lock");
    }
    build_program_view();
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_LOCK));
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_LOCK)->time_ns, 200000000);
    assert_true(fabs(find_program_finding(TP_PROGRAM_FINDS_LOCK)->percent - 100) < 1e-9);
}

static void short_and_failed_processes_are_found(void **state)
{
    (void)state;
    write_process(1, 0, 0, 200000, 0);
    write_running_state(1, 1, 0, 200000);
    for (int i = 0; i < 21; i++)
        write_process(100 + i, 1, 1000 * i, 1000 * i + 500, i == 3);
    build_program_view();
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_SHORT));
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_SHORT)->time_ns, 21 * 500000);
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_FAILED));
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_FAILED)->count, 1);
    assert_int_equal(view.tree.processes[find_program_finding(TP_PROGRAM_FINDS_FAILED)->processes[0]].pid, 103);
    assert_string_equal(find_program_finding(TP_PROGRAM_FINDS_FAILED)->detail,
                        "run p103 (exit code 1) ended with an error or by a signal.");
}

static void add_daemon(int pid, int parent)
{
    add_event("{\"ph\":\"X\",\"cat\":\"process\",\"name\":\"d\",\"pid\":%d,\"tid\":%d,\"ts\":5,\"dur\":95,\"args\":{"
              "\"execs\":[\"run d%d\"],\"ppid\":%d,\"end\":\"still runs\"}}",
              pid, pid, pid, parent);
}

static void daemons_are_named(void **state)
{
    (void)state;
    write_process(1, 0, 0, 100, 0);
    write_running_state(1, 1, 0, 100);
    add_daemon(7, 1);
    build_program_view();
    assert_non_null(find_program_finding(TP_PROGRAM_FINDS_LEFT));
    assert_int_equal(view.tree.processes[find_program_finding(TP_PROGRAM_FINDS_LEFT)->processes[0]].pid, 7);
    assert_string_equal(find_program_finding(TP_PROGRAM_FINDS_LEFT)->detail,
                        "run d7 (pid 7) continued to run after the program exited and the recording stopped.");
    tp_arena_release(&arena);
    tp_buf_clear(&text);
    add_daemon(1, 0); /* `record` was attached to this process, which continues to run and is no leftover */
    write_running_state(1, 1, 5, 100);
    add_daemon(7, 1);
    build_program_view();
    assert_null(find_program_finding(TP_PROGRAM_FINDS_LEFT));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_event_text, end_event_text)
    const struct CMUnitTest tests[] = {TEST(first_matching_rule_decides),
                                       TEST(headline_names_the_function),
                                       TEST(python_program_names_its_own_function),
                                       TEST(headline_names_the_waiting_function),
                                       TEST(wait_in_python_names_the_users_function),
                                       TEST(findings_need_enough_samples),
                                       TEST(idle_worker_is_no_lock_contention),
                                       TEST(short_and_failed_processes_are_found),
                                       TEST(daemons_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
