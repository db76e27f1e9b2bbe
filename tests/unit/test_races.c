/* Tests recordings that start and stop while threads record, get names, exit and fork. This test is mainly for the
 * thread sanitizer (make MODE=tsan; tests/README.md). */
#include "collector/tracepress.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/session.h"
#include "writer/spool/spool_read.h"

enum { THREADS = 4 };

static char folder[64];
static _Atomic int must_end, handled, started;

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-races-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Reads the spool in a handler, while other threads may still own chunks of it. */
static void read_spool_in_handler(const struct tracepress_trace *trace, void *unused)
{
    struct tp_arena arena;
    struct tp_spool_file file = {0};
    (void)unused;
    tp_arena_init(&arena, 0);
    if (tp_spool_open(&file, trace->spool, &arena, NULL) == 0)
        handled++;
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static struct tracepress_options make_options(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = read_spool_in_handler;
    return options;
}

/* Makes each kind of call that a thread can make. */
static void make_every_call(int turn)
{
    char name[32];
    snprintf(name, sizeof name, "name %d", turn % 50);
    tracepress_name number = tracepress_intern(name);
    tracepress_begin(number);
    tracepress_instant(number);
    tracepress_counter(number, turn);
    if (turn % 8 == 0)
        tracepress_metadata("key", "value");
    tracepress_end();
    int64_t now = tracepress_now();
    TRACEPRESS_SCOPE_KIND("all that can be told", TRACEPRESS_INPUT);
    tracepress_arg_i64(number, turn);
    tracepress_arg_text(number, name);
    tracepress_color((uint32_t)turn);
    tracepress_instant_text(number, name);
    tracepress_complete(tracepress_lane(name, TRACEPRESS_COMPUTE), number, now - 10, now, NULL);
}

static void *record_until_end(void *unused)
{
    for (int turn = 0; !must_end; turn++)
        make_every_call(turn);
    return unused;
}

static void *start_and_end_threads(void *unused)
{
    while (!must_end) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, record_until_end, NULL) == 0)
            pthread_detach(thread);
        usleep(500);
        if (must_end)
            break;
        make_every_call(1);
    }
    return unused;
}

static void run_while_threads_record(void (*body)(void))
{
    pthread_t threads[THREADS];
    must_end = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_until_end, NULL), 0);
    body();
    must_end = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void start_and_stop(void)
{
    struct tracepress_options options = make_options();
    for (int i = 0; i < 20; i++) {
        assert_int_equal(tracepress_start(&options), 0);
        usleep(i * 200);
        tracepress_stop();
    }
}

static void recordings_start_and_stop_during_calls(void **state)
{
    (void)state;
    handled = 0;
    run_while_threads_record(start_and_stop);
    assert_in_range(handled, 1, 20);
}

static void start_steps(void)
{
    struct tracepress_options options = make_options();
    options.schedule = (struct tracepress_schedule){.wait = 1, .warmup = 1, .active = 2};
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < 40; i++) {
        usleep(300);
        tracepress_step();
    }
    tracepress_stop();
}

static void steps_start_and_end_during_calls(void **state)
{
    (void)state;
    run_while_threads_record(start_steps);
}

static void start_and_stop_samplers(void)
{
    struct tracepress_options options = make_options();
    options.sample_rate = 1000;
    for (int i = 0; i < 4; i++) {
        tracepress_start(&options);
        usleep(20000);
        tracepress_stop();
    }
}

static void samplers_start_and_stop_during_calls(void **state)
{
    (void)state;
    run_while_threads_record(start_and_stop_samplers);
}

static void open_and_close_windows(void)
{
    struct tracepress_options options = make_options();
    setenv("TRACEPRESS_WINDOW", "10ms:5ms", 1);
    for (int i = 0; i < 4; i++) {
        tracepress_start(&options);
        usleep(25000);
        tracepress_stop();
    }
    unsetenv("TRACEPRESS_WINDOW");
}

static void windows_open_and_close_during_calls(void **state)
{
    (void)state;
    run_while_threads_record(open_and_close_windows);
}

static void start_and_stop_rings(void)
{
    struct tracepress_options options = make_options();
    options.ring_mb = 1;
    for (int i = 0; i < 4; i++) {
        tracepress_start(&options);
        usleep(20000);
        tracepress_stop();
    }
}

static void rings_start_and_stop_during_calls(void **state)
{
    (void)state;
    run_while_threads_record(start_and_stop_rings);
}

/* Starts and stops recordings, concurrently with another thread. Only one recording exists at a time. */
static void *start_and_stop_recordings(void *unused)
{
    struct tracepress_options options = make_options();
    for (int i = 0; i < 20; i++) {
        if (tracepress_start(&options) == 0)
            started++;
        tracepress_stop(); /* may stop the recording that the other thread started */
    }
    return unused;
}

static void start_and_stop_in_two_threads(void)
{
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, start_and_stop_recordings, NULL), 0);
    start_and_stop_recordings(NULL);
    pthread_join(other, NULL);
}

static void concurrent_starts_make_one_recording(void **state)
{
    (void)state;
    started = 0;
    run_while_threads_record(start_and_stop_in_two_threads);
    assert_in_range(started, 1, 40);
}

/* Runs a process whose atexit functions and destructors run while threads record. */
static void check_exit(void (*before)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        for (int i = 0; i < THREADS; i++)
            pthread_create(&thread, NULL, i ? record_until_end : start_and_end_threads, NULL);
        struct tracepress_options options = make_options();
        options.sample_rate = 1000;
        tracepress_start(&options);
        usleep(5000);
        before();
        exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

static void do_nothing(void)
{
}

static void fork_and_exit(void)
{
    if (fork() == 0) {
        make_every_call(1);
        exit(3);
    }
}

static void confine_process(void)
{
    tp_session_end_by_confinement("test");
}

static void processes_exit_while_threads_record(void **state)
{
    (void)state;
    must_end = 0;
    setenv("TRACEPRESS_QUIET", "1", 1);
    check_exit(do_nothing);
    check_exit(tracepress_stop);
    check_exit(fork_and_exit);
    check_exit(confine_process);
    unsetenv("TRACEPRESS_QUIET");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_start_and_stop_during_calls),
        cmocka_unit_test(steps_start_and_end_during_calls),
        cmocka_unit_test(samplers_start_and_stop_during_calls),
        cmocka_unit_test(windows_open_and_close_during_calls),
        cmocka_unit_test(rings_start_and_stop_during_calls),
        cmocka_unit_test(concurrent_starts_make_one_recording),
        cmocka_unit_test(processes_exit_while_threads_record),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
