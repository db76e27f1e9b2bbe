/* Tests threads, processes and recordings that overlap: each can end while another one continues. */
#include "collector/tracepress.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/recorder.h"
#include "collector/session_part.h"
#include "writer/spool/spool_read.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-lifetimes-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails if a recording has left its spool in the folder */
}

/* Content of the last recording. named: number of ranges with the name "marked". */
static struct {
    int recordings, threads, begun, ended, named; /* named: number of ranges with the name "marked" */
} seen;

static void count_records(const struct tp_spool_file *file, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, file, thread);
    while (tp_spool_next_record(&walk, &record, &payload)) {
        seen.ended += record.kind == TP_SPOOL_END;
        if (record.kind != TP_SPOOL_SCOPE)
            continue;
        seen.begun++;
        seen.named += tp_str_equal(tp_spool_record_name(file, &record, payload), TP_STR("marked"));
    }
    assert_int_equal(walk.broken_count, 0);
}

static void read_spool_in_handler(const struct tracepress_trace *trace, void *unused)
{
    struct tp_arena arena;
    struct tp_spool_file file;
    (void)unused;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, trace->spool, &arena, NULL), 0);
    seen.recordings++;
    seen.threads = (int)file.thread_count;
    seen.begun = seen.ended = seen.named = 0;
    for (uint32_t t = 0; t < file.thread_count; t++)
        count_records(&file, &file.threads[t]);
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static void start_recording(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = read_spool_in_handler;
    assert_int_equal(tracepress_start(&options), 0);
}

static void record_range(void)
{
    TRACEPRESS_SCOPE("marked");
}

static _Atomic int has_recorded; /* set by record_many_ranges */

/* Fills several chunks, and later records as a wrapped function of the program would. */
static void *record_many_ranges(void *unused)
{
    for (int i = 0; i < 10000; i++)
        record_range();
    tp_cursor.inside++;
    for (int i = 0; i < 10000; i++)
        record_range();
    tp_cursor.inside--;
    atomic_store(&has_recorded, 1);
    return unused;
}

static void recording_threads_do_not_wait_for_the_session_lock(void **state)
{
    enum { PAUSE_US = 1000, PATIENCE_US = 20000000 };
    pthread_t thread;
    unsigned waited_us = 0;
    (void)state;
    start_recording();
    record_range(); /* creates the spool, because this is the first record */
    pthread_mutex_lock(&tp_session.lock);
    pthread_create(&thread, NULL, record_many_ranges, NULL);
    for (; !atomic_load(&has_recorded) && waited_us < PATIENCE_US; waited_us += PAUSE_US)
        usleep(PAUSE_US);
    pthread_mutex_unlock(&tp_session.lock);
    pthread_join(thread, NULL);
    tracepress_stop();
    assert_true(waited_us < PATIENCE_US);
    assert_int_equal(seen.named, 20001);
}

static _Atomic int is_over;
static _Atomic unsigned rounds;

static void *record_until_over(void *unused)
{
    (void)unused;
    while (!is_over) {
        TRACEPRESS_SCOPE("endless");
        rounds++;
    }
    return NULL;
}

static void *record_and_exit_thread(void *unused)
{
    (void)unused;
    record_range();
    return NULL;
}

/* ---- threads ---- */

static void threads_exit_while_others_record(void **state)
{
    enum { SHORT = 200 };
    pthread_t others[2], ending;
    (void)state;
    is_over = 0;
    start_recording();
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, record_until_over, NULL);
    for (int i = 0; i < SHORT; i++) {
        pthread_create(&ending, NULL, record_and_exit_thread, NULL);
        pthread_join(ending, NULL);
    }
    while (rounds < 1000)
        usleep(100);
    is_over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    tracepress_stop();
    assert_int_equal(seen.named, SHORT);
    assert_int_equal(seen.threads, SHORT + 2);
    assert_int_equal(seen.begun, seen.ended);
}

static pthread_barrier_t step;

static void *record_on_first_thread(void *unused)
{
    (void)unused;
    record_range();
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    /* The thread exits during or after the second recording. Until then it owns a chunk of the first recording. */
    return NULL;
}

static void thread_survives_its_recording(void **state)
{
    (void)state;
    for (int is_running = 0; is_running < 2; is_running++) {
        pthread_t thread;
        pthread_barrier_init(&step, NULL, 2);
        start_recording();
        pthread_create(&thread, NULL, record_on_first_thread, NULL);
        pthread_barrier_wait(&step);
        tracepress_stop();
        assert_int_equal(seen.named, 1);
        if (is_running)
            start_recording();
        pthread_barrier_wait(&step);
        pthread_join(thread, NULL);
        record_range();
        tracepress_stop();
        assert_int_equal(seen.named, 1);
        assert_int_equal(seen.threads, 1);
        pthread_barrier_destroy(&step);
    }
}

static void record_in_destructor(void *unused)
{
    (void)unused;
    record_range();
}

static void *set_thread_keys(void *keys)
{
    record_range();
    for (int i = 0; i < 2; i++)
        pthread_setspecific(((pthread_key_t *)keys)[i], keys);
    return NULL;
}

/* Records in thread destructors of the program, some of which run before the collector's own destructor and others
 * after it. */
static void threads_record_during_their_exit(void **state)
{
    pthread_key_t keys[2];
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_key_create(&keys[0], record_in_destructor), 0);
    start_recording();
    record_range(); /* makes the collector create its key before the program's keys */
    assert_int_equal(pthread_key_create(&keys[1], record_in_destructor), 0);
    pthread_create(&thread, NULL, set_thread_keys, keys);
    pthread_join(thread, NULL);
    tracepress_stop();
    assert_int_equal(seen.named, 4);
    assert_int_equal(seen.begun, seen.ended);
    for (int i = 0; i < 2; i++)
        pthread_key_delete(keys[i]);
}

/* ---- processes ---- */

static int wait_for_exit_status(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static int count_entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* Tests that a child creates no spool before its first record, because most children exit or run another program
 * without writing a record. */
static void child_creates_a_spool_at_its_first_record(void **state)
{
    (void)state;
    start_recording();
    record_range();
    int recordings = seen.recordings, files = count_entries(folder);
    pid_t child = fork();
    if (child == 0) {
        int before = count_entries(folder), is_on = tracepress_recording_ != 0;
        if (fork() == 0) {
            tracepress_stop(); /* does not call the handler, because the child wrote no record */
            _exit(seen.recordings != recordings);
        }
        record_range();
        int after = count_entries(folder);
        tracepress_stop();
        _exit(is_on && before == files && after == files + 1 && seen.recordings == recordings + 1 ? 0 : 1);
    }
    assert_int_equal(wait_for_exit_status(child), 0);
    assert_int_equal(count_entries(folder), files);
    tracepress_stop();
    assert_int_equal(seen.named, 1);
}

static void process_forks_while_threads_record(void **state)
{
    enum { FORKS = 20 };
    pthread_t threads[3];
    (void)state;
    is_over = 0;
    start_recording();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, record_until_over, NULL);
    record_range();
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            pid_t grandchild = fork();
            record_range();
            if (grandchild > 0 && wait_for_exit_status(grandchild) != 0)
                _exit(2);
            tracepress_stop();
            _exit(seen.named == 1 && seen.threads == 1 ? 0 : 1);
        }
        assert_int_equal(wait_for_exit_status(child), 0);
    }
    is_over = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    tracepress_stop();
    assert_int_equal(seen.named, 1);
    assert_int_equal(seen.threads, 4);
    assert_int_equal(seen.begun, seen.ended);
}

static void child_may_record_although_parent_does_not(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        start_recording();
        record_range();
        tracepress_stop();
        _exit(seen.named == 1 ? 0 : 1);
    }
    assert_int_equal(wait_for_exit_status(child), 0);
    record_range(); /* has no effect, because no recording is running in the parent */
    assert_int_equal(tracepress_recording_, 0);
}

/* ---- recordings ---- */

static int count_spool_mappings(void)
{
    char line[1024];
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += strstr(line, ".tpspool") != NULL;
    fclose(file);
    return count;
}

static void thousand_recordings_leave_no_files(void **state)
{
    enum { TIMES = 1000 };
    int before = seen.recordings, files = count_entries("/proc/self/fd");
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        start_recording();
        record_range();
        tracepress_stop();
        assert_int_equal(seen.named, 1);
    }
    assert_int_equal(seen.recordings, before + TIMES);
    assert_int_equal(count_entries("/proc/self/fd"), files);
    assert_int_equal(count_spool_mappings(), 0);
    assert_int_equal(count_entries(folder), 2); /* the folder contains only "." and ".." */
}

static void calls_in_any_order_are_harmless(void **state)
{
    (void)state;
    tracepress_stop();
    tracepress_end();
    tracepress_step();
    assert_int_equal(tracepress_export_chrome_trace(NULL, "/tmp/none"), -1);
    start_recording();
    for (int i = 0; i < 3; i++)
        tracepress_end();        /* ends a range although no range is open */
    tracepress_begin(123456789); /* uses a name that tracepress_intern never returned */
    tracepress_operator_begin(0, NULL);
    tracepress_memory_note(NULL);
    tracepress_stop();
    tracepress_stop();
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.ended, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_any_order_are_harmless),
        cmocka_unit_test(child_may_record_although_parent_does_not),
        cmocka_unit_test(threads_exit_while_others_record),
        cmocka_unit_test(recording_threads_do_not_wait_for_the_session_lock),
        cmocka_unit_test(thread_survives_its_recording),
        cmocka_unit_test(threads_record_during_their_exit),
        cmocka_unit_test(child_creates_a_spool_at_its_first_record),
        cmocka_unit_test(process_forks_while_threads_record),
        cmocka_unit_test(thousand_recordings_leave_no_files),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
