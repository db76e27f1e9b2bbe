/* Tests that reading a spool gives exactly the calls of the public interface. */
#include "collector/tracepress.h"

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

#include "collector/session.h"
#include "writer/spool/spool_read.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-collector-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- text of a spool: one line per record, without times ---- */

static char spool_text[1 << 16];
static unsigned spool_count;

static const char *const kinds[TP_SPOOL_KINDS] = {[TP_SPOOL_SCOPE] = "scope",
                                                  [TP_SPOOL_OPERATOR] = "operator",
                                                  [TP_SPOOL_MODULE] = "module",
                                                  [TP_SPOOL_STEP] = "step",
                                                  [TP_SPOOL_END] = "end",
                                                  [TP_SPOOL_INSTANT] = "instant",
                                                  [TP_SPOOL_COUNTER] = "counter",
                                                  [TP_SPOOL_MEMORY_NOTE] = "memory",
                                                  [TP_SPOOL_ASYNC_BEGIN] = "async begin",
                                                  [TP_SPOOL_ASYNC_END] = "async end",
                                                  [TP_SPOOL_STEP_END] = "step end"};

static void write_threads(const struct tp_spool_file *file)
{
    for (uint32_t t = 0; t < file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        uint64_t last = 0;
        tp_spool_walk(&walk, file, &file->threads[t]);
        strcat(spool_text, "thread\n");
        while (tp_spool_next_record(&walk, &record, &payload)) {
            struct tp_str name = tp_spool_record_name(file, &record, payload);
            size_t n = strlen(spool_text);
            assert_true(record.time >= last);
            last = record.time;
            if (record.kind == TP_SPOOL_END || record.kind == TP_SPOOL_STEP_END || record.kind == TP_SPOOL_MEMORY_NOTE)
                name.len = 0;
            if (record.kind == TP_SPOOL_STEP)
                snprintf(spool_text + n, sizeof spool_text - n, "step %u\n", record.name);
            else
                snprintf(spool_text + n, sizeof spool_text - n, "%s %.*s\n", kinds[record.kind], (int)name.len,
                         name.ptr);
            assert_true(n + 200 < sizeof spool_text);
        }
        assert_int_equal(walk.broken_count, 0);
    }
}

static void read_spool(const struct tracepress_trace *trace, void *context)
{
    struct tp_arena arena;
    struct tp_spool_file file;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, trace->spool, &arena, &err), 0);
    assert_true(file.was_stopped);
    assert_int_equal(file.broken_count, 0);
    assert_true(file.clock_count >= 2);
    spool_count++;
    write_threads(&file);
    tp_spool_release(&file);
    tp_arena_release(&arena);
    *(int *)context += 1;
}

static struct tracepress_options make_options(int *handled)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = read_spool;
    options.context = handled;
    spool_text[0] = '\0';
    spool_count = 0;
    return options;
}

static void *record_on_other_thread(void *unused)
{
    (void)unused;
    TRACEPRESS_SCOPE("other");
    return NULL;
}

static void records_are_read_in_order(void **state)
{
    int handled = 0;
    pthread_t thread;
    struct tracepress_options options = make_options(&handled);
    const int64_t dims[] = {3, 4};
    const struct tracepress_input input = {TRACEPRESS_FLOAT, 2, dims};
    const struct tracepress_operator call = {.size = sizeof(struct tracepress_operator),
                                             .input_size = sizeof(struct tracepress_input),
                                             .inputs = &input,
                                             .input_count = 1,
                                             .sequence = 1,
                                             .flops = 24};
    const struct tracepress_memory memory = {
        .size = sizeof(struct tracepress_memory), .address = 64, .bytes = 48, .device_id = -1};
    (void)state;
    tracepress_begin_text("before the start");
    tracepress_end();
    assert_int_equal(tracepress_start(&options), 0);
    assert_int_equal(tracepress_start(&options), -1);
    tracepress_begin_text("a name with \"quotes\"");
    tracepress_operator_begin(tracepress_intern("matmul"), &call);
    tracepress_memory_note(&memory);
    tracepress_end();
    tracepress_module_begin(tracepress_intern("Linear_0"));
    tracepress_end();
    tracepress_counter(tracepress_intern("loss"), 0.5);
    tracepress_instant(tracepress_intern("here"));
    tracepress_async_begin(tracepress_intern("copy"), 7);
    tracepress_async_end(tracepress_intern("copy"), 7);
    tracepress_end();
    pthread_create(&thread, NULL, record_on_other_thread, NULL);
    pthread_join(thread, NULL);
    tracepress_stop();
    tracepress_begin_text("after the stop");
    tracepress_end();
    assert_int_equal(handled, 1);
    assert_string_equal(spool_text,
                        "thread\nscope a name with \"quotes\"\noperator matmul\nmemory \nend \nmodule Linear_0\nend \n"
                        "counter loss\ninstant here\nasync begin copy\nasync end copy\nend \n"
                        "thread\nscope other\nend \n");
}

static void schedule_selects_recorded_steps(void **state)
{
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    options.schedule = (struct tracepress_schedule){.wait = 1, .active = 2, .repeat = 2};
    (void)state;
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(tracepress_step_num(), i);
        {
            TRACEPRESS_SCOPE("work");
        }
        tracepress_step();
    }
    tracepress_stop();
    assert_int_equal(handled, 2);
    assert_string_equal(spool_text,
                        "thread\nstep 1\nscope work\nend \nstep end \nstep 2\nscope work\nend \nstep end \n"
                        "thread\nstep 4\nscope work\nend \nstep end \nstep 5\nscope work\nend \nstep end \n");
}

/* Writes more records than a chunk can contain. The size of a chunk is not a multiple of the size of these records. */
static void long_recordings_span_chunks(void **state)
{
    enum { COUNT = 30000 };
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    options.handler = NULL; /* without a handler, the spool is kept */
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        snprintf(text, sizeof text, "%.*s%d", i % 40, "........................................", i);
        tracepress_begin_text(text);
        tracepress_end();
    }
    tracepress_stop();
    char command[200];
    snprintf(command, sizeof command, "mv %s/.*.tpspool %s/kept", folder, folder);
    assert_int_equal(system(command), 0);
    struct tp_arena arena;
    struct tp_spool_file file;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    snprintf(command, sizeof command, "%s/kept", folder);
    assert_int_equal(tp_spool_open(&file, command, &arena, &err), 0);
    assert_int_equal(file.thread_count, 1);
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    int begun = 0, ended = 0;
    tp_spool_walk(&walk, &file, &file.threads[0]);
    while (tp_spool_next_record(&walk, &record, &payload)) {
        ended += record.kind == TP_SPOOL_END;
        if (record.kind != TP_SPOOL_SCOPE)
            continue;
        struct tp_str name = tp_spool_record_name(&file, &record, payload);
        assert_int_equal(name.len, (size_t)(begun % 40) + (size_t)snprintf(NULL, 0, "%d", begun));
        begun++;
    }
    assert_int_equal(begun, COUNT);
    assert_int_equal(ended, COUNT);
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static void child_process_has_a_separate_spool(void **state)
{
    int handled = 0, status;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    assert_int_equal(tracepress_start(&options), 0);
    tracepress_begin_text("parent");
    pid_t child = fork();
    if (child == 0) {
        tracepress_begin_text("child");
        tracepress_end();
        tracepress_stop();
        _exit(handled == 1 && strcmp(spool_text, "thread\nscope child\nend \n") == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    tracepress_end();
    tracepress_stop();
    assert_string_equal(spool_text, "thread\nscope parent\nend \n");
}

/* ---- many threads, many recordings ---- */

enum { MANY = 1000 };

static void *record_a_little(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        TRACEPRESS_SCOPE("little");
    }
    return NULL;
}

static void count_threads(const struct tracepress_trace *trace, void *context)
{
    struct tp_arena arena;
    struct tp_spool_file file;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, trace->spool, &arena, &err), 0);
    *(int *)context += (int)file.thread_count;
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static void thousand_threads_stay_distinct(void **state)
{
    static pthread_t threads[MANY];
    int count = 0;
    struct tracepress_options options = make_options(&count);
    (void)state;
    options.handler = count_threads;
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < MANY; i++) /* many threads exit and start, so the system reuses thread ids */
        assert_int_equal(pthread_create(&threads[i], NULL, record_a_little, NULL), 0);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
    tracepress_stop();
    assert_int_equal(count, MANY);
}

static _Atomic int is_over, rounds;

static void *record_until_over(void *unused)
{
    (void)unused;
    while (!is_over) {
        TRACEPRESS_SCOPE("endless");
        tracepress_counter(tracepress_intern("value"), 1);
        rounds++;
    }
    return NULL;
}

static void recordings_start_and_stop_while_threads_record(void **state)
{
    enum { ROUNDS = 20 };
    pthread_t threads[3];
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    options.handler = count_threads;
    is_over = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, record_until_over, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(tracepress_start(&options), 0);
        for (int seen = rounds; rounds - seen < 100;) /* waits until the threads have recorded 100 more rounds */
            usleep(100);
        tracepress_stop();
    }
    is_over = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_true(handled >= ROUNDS && handled <= 3 * ROUNDS);
}

static void unwritable_folder_is_an_error_without_crash(void **state)
{
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    options.directory = "/proc/no/such";
    assert_int_equal(tracepress_start(&options), -1);
    tracepress_begin_text("x");
    tracepress_end();
    tracepress_step();
    tracepress_stop();
    assert_int_equal(handled, 0);
}

/* ---- the folder of the spool ---- */

static int start_recording_in_folder(const char *directory, int *handled)
{
    struct tracepress_options options = make_options(handled);
    options.schedule = (struct tracepress_schedule){.wait = 1, .active = 1, .repeat = 1};
    options.directory = directory;
    return tracepress_start(&options);
}

static void record_two_steps(void)
{
    tracepress_step();
    tracepress_begin_text("kept");
    tracepress_end();
    tracepress_step();
    tracepress_stop();
}

static void missing_parent_folders_are_created(void **state)
{
    int handled = 0;
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/runs/today/again/", folder);
    assert_int_equal(start_recording_in_folder(path, &handled), 0);
    assert_int_equal(access(path, W_OK), 0);
    record_two_steps();
    assert_int_equal(handled, 1);
    assert_non_null(strstr(spool_text, "kept"));
    /* fails if the spool or the test file still exists */
    assert_int_equal(rmdir(path), 0);
}

static void waiting_schedule_reports_unwritable_folder(void **state)
{
    int handled = 0;
    char path[128];
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    snprintf(path, sizeof path, "%s/plain", folder);
    fclose(fopen(path, "w"));
    assert_int_equal(start_recording_in_folder(path, &handled), -1);
    strcat(path, "/below");
    assert_int_equal(start_recording_in_folder(path, &handled), -1);
    assert_int_equal(start_recording_in_folder("/proc/no/such", &handled), -1);
    record_two_steps();
    assert_int_equal(handled, 0);
    assert_int_equal(start_recording_in_folder(folder, &handled),
                     0); /* a start in a valid folder works after failed starts */
    record_two_steps();
    assert_int_equal(handled, 1);
}

static void future_window_reports_unwritable_folder(void **state)
{
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    setenv("TRACEPRESS_WINDOW", "60m:1ms", 1);
    options.directory = "/proc/no/such";
    assert_int_equal(tracepress_start(&options), -1);
    unsetenv("TRACEPRESS_WINDOW");
}

/* Tests a daemon that changes its folder to / after the start. The relative path still means the folder at the time of
 * the start. */
static void relative_folder_is_fixed_at_start(void **state)
{
    int handled = 0;
    char before[4096], path[128];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(start_recording_in_folder("there/below", &handled), 0);
    assert_int_equal(chdir("/proc"), 0);
    record_two_steps();
    assert_int_equal(chdir(before), 0);
    assert_int_equal(handled, 1);
    snprintf(path, sizeof path, "%s/there/below", folder);
    assert_int_equal(rmdir(path), 0);
}

/* ---- structs with a size member ---- */

static void options_of_unknown_size_are_refused(void **state)
{
    static const uint32_t sizes[] = {0, 1, 80, sizeof(struct tracepress_options) + 1, 8192, UINT32_MAX};
    int handled = 0;
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tracepress_options options = make_options(&handled);
        options.size = sizes[i];
        assert_int_equal(tracepress_start(&options), -1);
        tracepress_stop();
    }
    assert_int_equal(handled, 0);
}

static void make_tables(const struct tracepress_trace *trace, void *context)
{
    struct tracepress_table table = {.size = sizeof table};
    char *text = tracepress_key_averages(trace, &table);
    (void)context;
    assert_non_null(text);
    tracepress_free(text);
    table.size = 0;
    assert_null(tracepress_key_averages(trace, &table));
}

static void table_of_unknown_size_is_refused(void **state)
{
    int handled = 0;
    struct tracepress_options options = make_options(&handled);
    (void)state;
    setenv("TRACEPRESS_QUIET", "1", 1);
    options.handler = make_tables;
    assert_int_equal(tracepress_start(&options), 0);
    tracepress_operator_begin(tracepress_intern("matmul"), NULL);
    tracepress_end();
    tracepress_stop();
}

/* ---- activities ---- */

static char trace_text[1 << 16];

static void copy_trace(const struct tracepress_trace *trace, void *context)
{
    char path[128];
    (void)context;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    assert_int_equal(tracepress_export_chrome_trace(trace, path), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    trace_text[fread(trace_text, 1, sizeof trace_text - 1, file)] = '\0';
    fclose(file);
}

static void record_with_activities(uint32_t activities)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = copy_trace;
    options.activities = activities;
    options.schedule.active = 1;
    options.schedule.repeat = 1;
    assert_int_equal(tracepress_start(&options), 0);
    tracepress_begin(tracepress_intern("a range"));
    tracepress_counter(tracepress_intern("a counter"), 1);
    tracepress_end();
    tracepress_step();
    tracepress_stop();
}

static void activities_select_the_content_of_the_trace(void **state)
{
    (void)state;
    record_with_activities(TRACEPRESS_ACTIVITY_CPU);
    assert_non_null(strstr(trace_text, "a range"));
    assert_non_null(strstr(trace_text, "a counter"));
    record_with_activities(TRACEPRESS_ACTIVITY_CPU | TRACEPRESS_ACTIVITY_CUDA);
    assert_non_null(strstr(trace_text, "a range"));
    record_with_activities(TRACEPRESS_ACTIVITY_CUDA);
    assert_null(strstr(trace_text, "a range"));
    assert_null(strstr(trace_text, "a counter"));
    assert_non_null(strstr(trace_text, "ProfilerStep#0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_in_order),
        cmocka_unit_test(schedule_selects_recorded_steps),
        cmocka_unit_test(long_recordings_span_chunks),
        cmocka_unit_test(child_process_has_a_separate_spool),
        cmocka_unit_test(thousand_threads_stay_distinct),
        cmocka_unit_test(recordings_start_and_stop_while_threads_record),
        cmocka_unit_test(unwritable_folder_is_an_error_without_crash),
        cmocka_unit_test(missing_parent_folders_are_created),
        cmocka_unit_test(waiting_schedule_reports_unwritable_folder),
        cmocka_unit_test(future_window_reports_unwritable_folder),
        cmocka_unit_test(relative_folder_is_fixed_at_start),
        cmocka_unit_test(options_of_unknown_size_are_refused),
        cmocka_unit_test(table_of_unknown_size_is_refused),
        cmocka_unit_test(activities_select_the_content_of_the_trace),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
