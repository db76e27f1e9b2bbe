/* Tests how the files of a run become traces with the names that the report expects. */
#include "collector/launch/takeover.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "collector/tracepress.h"
#include "writer/worker.h"

static char logdir[64], folder[80];

static int enter_folders(void **state)
{
    (void)state;
    strcpy(logdir, "/tmp/tracepress-takeover-XXXXXX");
    if (!mkdtemp(logdir))
        return -1;
    snprintf(folder, sizeof folder, "%s/.run-XXXXXX", logdir);
    return mkdtemp(folder) ? 0 : -1;
}

static void write_file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Writes a spool of this process, as the preloaded library does. */
static void write_spool(bool has_record)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    assert_int_equal(tracepress_start(&options), 0);
    if (has_record) {
        TRACEPRESS_SCOPE("range");
    }
    tracepress_stop();
}

struct reported {
    char traces[4][4096];
    int count, failed;
};

static void store_report(void *context, enum tp_taken what, const char *path, pid_t pid, const char *why)
{
    struct reported *reported = context;
    (void)why;
    assert_int_equal(pid, what == TP_TAKEN_TRACE ? getpid() : pid);
    reported->failed += what == TP_TAKEN_FAILED;
    if (what == TP_TAKEN_TRACE && reported->count < 4)
        snprintf(reported->traces[reported->count++], sizeof reported->traces[0], "%s", path);
}

/* Stores what is reported about a trace of another process. */
static void store_report_of_other_process(void *context, enum tp_taken what, const char *path, pid_t pid,
                                          const char *why)
{
    (void)pid;
    store_report(context, what, path, getpid(), why);
}

static struct tp_takeover take_over_files(struct reported *reported)
{
    struct tp_takeover t = {.folder = folder, .logdir = logdir, .report = store_report, .context = reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    return t;
}

/* Returns the worker of a trace, which is the part of its name before the time. */
static const char *worker_in_path(char *path)
{
    char *end = strstr(path, ".pt.trace.json.gz");
    assert_non_null(end);
    *end = '\0';
    *strrchr(path, '.') = '\0';
    return strrchr(path, '/') + 1;
}

static void empty_folder(const char *place)
{
    struct dirent **names = NULL;
    char path[400];
    for (int count = scandir(place, &names, NULL, NULL); count > 0; free(names[count])) {
        snprintf(path, sizeof path, "%s/%s", place, names[--count]->d_name);
        unlink(path);
    }
    free(names);
}

static int empty_and_leave_folders(void **state)
{
    (void)state;
    empty_folder(logdir);
    return rmdir(logdir); /* succeeds only if the run's folder was removed before */
}

static void trace_is_named_after_its_process(void **state)
{
    static struct reported reported;
    char host[64] = "", worker[100];
    (void)state;
    write_spool(true);
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 1);
    gethostname(host, sizeof host - 1);
    snprintf(worker, sizeof worker, "%s_%d", host, (int)getpid());
    assert_string_equal(worker_in_path(reported.traces[0]), worker);
}

static void trace_next_to_one_of_torch_is_marked(void **state)
{
    static struct reported reported;
    char name[64];
    (void)state;
    write_spool(true);
    snprintf(name, sizeof name, "torch.1700000000000000000.%d.json", (int)getpid());
    write_file(name, "{\"traceEvents\":[]}");
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 2);
    const char *ours = worker_in_path(reported.traces[0]), *torch = worker_in_path(reported.traces[1]);
    size_t n = strlen(torch);
    assert_memory_equal(ours, torch, n);
    assert_string_equal(ours + n, TP_WORKER_SECOND);
}

/* Tests a trace that is longer than the blocks in which it is copied. */
static void trace_of_torch_is_copied_completely(void **state)
{
    enum { SIZE = 700001 };
    static struct reported reported;
    static char text[SIZE + 1], seen[SIZE + 1];
    char name[64];
    (void)state;
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 23);
    snprintf(name, sizeof name, "torch.1700000000000000000.%d.json", (int)getpid());
    write_file(name, text);
    assert_int_equal(take_over_files(&reported).trace_count, 1);
    gzFile file = gzopen(reported.traces[0], "r");
    assert_non_null(file);
    assert_int_equal(gzread(file, seen, sizeof seen), SIZE);
    gzclose(file);
    assert_memory_equal(seen, text, SIZE);
}

/* Tests that this process is a helper, such as a data loader or the parent, if torch's trace comes from another
 * process. */
static void process_without_trace_of_torch_is_a_helper(void **state)
{
    static struct reported reported;
    (void)state;
    write_spool(true);
    write_file("torch.1700000000000000000.1.json", "{\"traceEvents\":[]}");
    struct tp_takeover t = {
        .folder = folder, .logdir = logdir, .report = store_report_of_other_process, .context = &reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    assert_int_equal(t.trace_count, 2);
    const char *ours = worker_in_path(reported.traces[0]), *torch = worker_in_path(reported.traces[1]);
    assert_string_equal(ours + strlen(ours) - strlen(TP_WORKER_HELPER), TP_WORKER_HELPER);
    assert_string_equal(torch + strlen(torch) - 2, "_1");
}

/* Tests that if only one of two processes has steps, the other one is its helper. */
static void process_without_steps_is_a_helper(void **state)
{
    static struct reported reported;
    pid_t child = fork();
    (void)state;
    if (child == 0) {
        struct tracepress_options options = TRACEPRESS_OPTIONS;
        options.directory = folder;
        tracepress_start(&options);
        for (int i = 0; i < 3; i++)
            tracepress_step();
        tracepress_stop();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    write_spool(true);
    struct tp_takeover t = {
        .folder = folder, .logdir = logdir, .report = store_report_of_other_process, .context = &reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    assert_int_equal(t.trace_count, 2);
    for (int i = 0; i < 2; i++) {
        const char *worker = worker_in_path(reported.traces[i]), *suffix = strstr(worker, TP_WORKER_HELPER);
        char number[16];
        snprintf(number, sizeof number, "_%d", (int)getpid());
        assert_true(suffix ? strstr(worker, number) != NULL : strstr(worker, number) == NULL);
    }
}

/* Writes the spool of a script's helper process, which has only memory records. */
static void write_short_spool(unsigned ms)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    const struct tracepress_memory note = {.size = sizeof(struct tracepress_memory),
                                           .address = 1,
                                           .bytes = 100,
                                           .total_allocated = 100,
                                           .total_reserved = -1,
                                           .device_id = -1};
    options.directory = folder;
    options.profile_memory = 1;
    assert_int_equal(tracepress_start(&options), 0);
    tracepress_memory_note(&note);
    usleep(ms * 1000);
    tracepress_memory_note(&note);
    tracepress_stop();
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Writes the spool of a process that exited immediately. Tries again if a busy machine delayed the process. */
static void write_spool_and_exit(void)
{
    int64_t began_ms;
    for (int tries = 0; tries < 200; tries++) {
        empty_folder(folder);
        began_ms = now_ms();
        write_short_spool(0);
        if (now_ms() - began_ms < TP_TAKEOVER_SHORT_MS)
            return;
    }
    skip();
}

static void short_helper_has_no_trace(void **state)
{
    static struct reported reported;
    (void)state;
    write_spool_and_exit();
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 0);
    assert_int_equal(t.short_count, 1);
    assert_int_equal(t.empty_file_count, 0);
    assert_int_equal(reported.count, 0);
    assert_int_equal(access(folder, F_OK), -1);
}

static void program_itself_always_has_a_trace(void **state)
{
    static struct reported reported;
    (void)state;
    write_spool_and_exit();
    struct tp_takeover t = {
        .folder = folder, .logdir = logdir, .program = getpid(), .report = store_report, .context = &reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    assert_int_equal(t.trace_count, 1);
    assert_int_equal(t.short_count, 0);
}

static void longer_helper_has_a_trace(void **state)
{
    static struct reported reported;
    (void)state;
    write_short_spool(TP_TAKEOVER_SHORT_MS + 1);
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 1);
    assert_int_equal(t.short_count, 0);
}

/* Tests that with a trace from outside, a process with ranges keeps its name. A process with only memory records and
 * waits becomes the worker "inside". */
static void process_without_ranges_gets_an_inside_trace(void **state)
{
    static struct reported reported;
    (void)state;
    for (int is_silent = 0; is_silent < 2; is_silent++) {
        if (is_silent)
            write_short_spool(TP_TAKEOVER_SHORT_MS + 20);
        else
            write_spool(true);
        struct tp_takeover t = {.folder = folder,
                                .logdir = logdir,
                                .has_outside = true,
                                .keeps_empty_folder = true,
                                .report = store_report_of_other_process,
                                .context = &reported};
        reported.count = 0;
        assert_int_equal(tp_takeover(&t, NULL), 0);
        assert_int_equal(t.trace_count, 1);
        bool is_inside = strstr(worker_in_path(reported.traces[0]), TP_WORKER_INSIDE) != NULL;
        assert_int_equal(is_inside, is_silent);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Tests a process in a container. It has another process id than outside, and its environment cannot be read. */
static void spool_of_a_running_process_stays(void **state)
{
    static struct reported reported;
    int ready[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct tracepress_options options = TRACEPRESS_OPTIONS;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        options.directory = folder;
        tracepress_start(&options);
        tracepress_begin(tracepress_intern("a"));
        tracepress_end();
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct tp_takeover t = {
        .folder = folder, .logdir = logdir, .report = store_report_of_other_process, .context = &reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    assert_int_equal(t.running_process_count, 1);
    assert_int_equal(t.trace_count, 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    t = (struct tp_takeover){
        .folder = folder, .logdir = logdir, .report = store_report_of_other_process, .context = &reported};
    assert_int_equal(tp_takeover(&t, NULL), 0);
    assert_int_equal(t.trace_count, 1);
    close(ready[0]);
    close(ready[1]);
}

static void unfinished_and_empty_files_are_removed(void **state)
{
    static struct reported reported;
    (void)state;
    write_spool(false);
    write_file("torch.1.2.json.tmp", "{");
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 0);
    assert_int_equal(t.empty_file_count, 2);
    assert_int_equal(access(folder, F_OK), -1);
}

/* Tests that a truncated trace is kept, because the program cannot write it again. */
static void truncated_trace_is_kept(void **state)
{
    static struct reported reported;
    char name[100], command[600];
    int pid = (int)getpid();
    (void)state;
    snprintf(name, sizeof name, "torch.1700000000000000001.%d.json.tmp", pid);
    write_file(name, "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\"},{\"ph\":");
    snprintf(name, sizeof name, "torch.1700000000000000002.%d.json.tmp.tmp", pid);
    write_file(name, "{\"traceEvents\":[{\"ph\":");
    snprintf(name, sizeof name, "kineto_%d.json.tmp", pid);
    write_file(name, "{\"traceEvents\":[");
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.trace_count, 2);
    assert_int_equal(t.cut_count, 2);
    assert_int_equal(t.empty_file_count, 1);
    snprintf(command, sizeof command,
             "zcat %s/*_%d_cut.1700000000000000001.pt.trace.json.gz | grep -q '\"a\"},{\"ph\":$'", logdir, pid);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "test -s %s/*_%d_cut.1700000000000000002.pt.trace.json.gz", logdir, pid);
    assert_int_equal(system(command), 0);
    assert_int_equal(access(folder, F_OK), -1);
}

static void unknown_file_stays_and_is_reported(void **state)
{
    static struct reported reported;
    char path[400];
    (void)state;
    write_file(".host_1.2.3.tpspool", "noise");
    write_file("mine", "not ours");
    struct tp_takeover t = take_over_files(&reported);
    assert_int_equal(t.failed_count, 1);
    assert_int_equal(reported.failed, 1);
    snprintf(path, sizeof path, "%s/.host_1.2.3.tpspool", folder);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/mine", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trace_is_named_after_its_process, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(trace_next_to_one_of_torch_is_marked, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(trace_of_torch_is_copied_completely, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(process_without_trace_of_torch_is_a_helper, enter_folders,
                                        empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(process_without_steps_is_a_helper, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(short_helper_has_no_trace, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(program_itself_always_has_a_trace, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(longer_helper_has_a_trace, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(process_without_ranges_gets_an_inside_trace, enter_folders,
                                        empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(spool_of_a_running_process_stays, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(unfinished_and_empty_files_are_removed, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(truncated_trace_is_kept, enter_folders, empty_and_leave_folders),
        cmocka_unit_test_setup_teardown(unknown_file_stays_and_is_reported, enter_folders, empty_and_leave_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
