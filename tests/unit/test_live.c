/* Tests the event file of a running program: its content, its location, and when writing stops. */
#include "collector/live.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/live_values.h"
#include "writer/proto/tb_event.pb-c.h"
#include "writer/tfevents_file.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-live-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- text of event files, with one line "step tag=value" per value ---- */

static char file_text[1 << 16];

static void write_event(const unsigned char *bytes, size_t size)
{
    Tp__Event *event = tp__event__unpack(NULL, size, bytes);
    assert_non_null(event);
    assert_true(isfinite(event->wall_time) && event->wall_time > 1e9);
    if (event->what_case == TP__EVENT__WHAT_FILE_VERSION)
        strcat(file_text, "version\n");
    else
        assert_int_equal(event->what_case, TP__EVENT__WHAT_SUMMARY);
    for (size_t i = 0; event->what_case == TP__EVENT__WHAT_SUMMARY && i < event->summary->n_value; i++) {
        const Tp__Value *value = event->summary->value[i];
        size_t n = strlen(file_text);
        bool is_time = strcmp(value->tag, "profile_step/time_ms") == 0 || strstr(value->tag, "_per_s");
        assert_true(!is_time || value->simple_value > 0);
        snprintf(file_text + n, sizeof file_text - n, "%lld %s=%g%s\n", (long long)event->step, value->tag,
                 is_time ? 1 : (double)value->simple_value, value->metadata ? " described" : "");
    }
    tp__event__free_unpacked(event, NULL);
}

/* Returns the text of all tracepress event files in a folder, sorted by file name. */
static const char *read_event_files(const char *where)
{
    static unsigned char bytes[1 << 20];
    char command[256];
    file_text[0] = '\0';
    snprintf(command, sizeof command, "cat %s/events.out.tfevents.*.tracepress 2>/dev/null", where);
    FILE *file = popen(command, "r");
    size_t size = fread(bytes, 1, sizeof bytes, file), at = 0;
    pclose(file);
    while (at < size) {
        uint64_t length;
        assert_true(size - at >= 16);
        memcpy(&length, bytes + at, 8);
        assert_true(length <= size - at - 16);
        write_event(bytes + at + 12, length);
        at += length + 16;
    }
    return file_text;
}

static const char *path_in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int start_recording_with_live_values(const char *where)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.live = 1;
    options.directory = where;
    options.worker = "w/1";
    options.schedule = (struct tracepress_schedule){.wait = 1000, .active = 1}; /* this schedule records no step */
    return tracepress_start(&options);
}

/* ---- content ---- */

static void live_steps_have_times_rates_counters_and_memory(void **state)
{
    (void)state;
    tracepress_metadata("batch_size", "32");
    tracepress_metadata_json("tokens_per_step", "not a number");
    assert_int_equal(start_recording_with_live_values(folder), 0);
    tracepress_counter(tracepress_intern("loss rate"), 3);
    tracepress_counter(tracepress_intern("loss rate"), 2.5); /* replaces the previous value of the counter */
    tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                       .bytes = 1,
                                                       .total_allocated = 4 << 20,
                                                       .total_reserved = -1,
                                                       .device_type = TRACEPRESS_CPU,
                                                       .device_id = -1});
    tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                       .bytes = -1,
                                                       .total_allocated = 1 << 20,
                                                       .total_reserved = -1,
                                                       .device_type = TRACEPRESS_CPU,
                                                       .device_id = -1});
    tracepress_memory_note(&(struct tracepress_memory){.size = sizeof(struct tracepress_memory),
                                                       .bytes = 1,
                                                       .total_allocated = 0,
                                                       .total_reserved = 8 << 20,
                                                       .device_type = TRACEPRESS_CUDA,
                                                       .device_id = 3});
    tracepress_step();
    /* gets the same tag as "loss rate", so the file omits this counter */
    tracepress_counter(tracepress_intern("loss_rate"), 7);
    tracepress_counter(tracepress_intern("bad"), NAN);
    tracepress_step();
    tracepress_stop();
    tracepress_counter(tracepress_intern("loss rate"), 1); /* comes after the stop, so the file omits this value */
    assert_string_equal(read_event_files(folder), "version\n"
                                                  "0 profile_step/time_ms=1 described\n"
                                                  "0 profile_step/samples_per_s=1 described\n"
                                                  "0 profile_counters/loss_rate=2.5 described\n"
                                                  "0 profile_memory_mib/CPU_allocated_peak=4 described\n"
                                                  "0 profile_memory_mib/GPU3_allocated_peak=0 described\n"
                                                  "0 profile_memory_mib/GPU3_reserved_peak=8 described\n"
                                                  "1 profile_step/time_ms=1\n"
                                                  "1 profile_step/samples_per_s=1\n"
                                                  "1 profile_memory_mib/CPU_allocated_peak=1\n"
                                                  "1 profile_memory_mib/GPU3_allocated_peak=0\n"
                                                  "1 profile_memory_mib/GPU3_reserved_peak=8\n");
    tracepress_metadata("batch_size", "0");
}

static void live_counters_beyond_the_maximum_are_dropped(void **state)
{
    struct tp_tf_scalar scalars[TP_LIVE_VALUES];
    (void)state;
    for (int i = 0; i < 3 * TP_LIVE_COUNTERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "many%d", i);
        tp_live_store_counter(tracepress_intern(name), i);
    }
    size_t count = tp_live_values_fill(scalars); /* some slots are in use by earlier tests */
    assert_in_range(count, TP_LIVE_COUNTERS / 2, TP_LIVE_COUNTERS);
    for (size_t i = 0; i < count; i++)
        assert_string_not_equal(scalars[i].tag, "profile_counters/many191");
    for (int i = 0; i < 100; i++)
        tp_live_store_memory(&(struct tracepress_memory){
            .size = sizeof(struct tracepress_memory), .total_allocated = 5, .total_reserved = -1, .device_id = i});
    assert_in_range(tp_live_values_fill(scalars), 1, 2 * TP_LIVE_DEVICES);
}

/* Writes more events in a quarter of a second than the buffer can contain, so the buffer is written earlier than
 * usual. */
static void live_very_short_steps_are_all_kept(void **state)
{
    enum { STEPS = 150000 };
    char command[128], line[64] = "";
    (void)state;
    assert_int_equal(start_recording_with_live_values(folder), 0);
    for (int i = 0; i < STEPS; i++)
        tracepress_step();
    tracepress_stop();
    snprintf(command, sizeof command, "grep -aobF profile_step/time_ms %s/events* | wc -l", folder);
    FILE *count = popen(command, "r");
    assert_non_null(fgets(line, sizeof line, count));
    pclose(count);
    assert_int_equal(atoi(line), STEPS);
}

/* ---- location of the event file ---- */

static void live_recordings_of_a_process_share_a_file(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(start_recording_with_live_values(folder), 0);
        tracepress_step();
        tracepress_step();
        tracepress_stop();
    }
    assert_int_equal(tp_tfevents_count_files(folder), 1);
    assert_string_equal(read_event_files(folder),
                        "version\n0 profile_step/time_ms=1 described\n1 profile_step/time_ms=1\n"
                        "2 profile_step/time_ms=1\n3 profile_step/time_ms=1\n");
}

static void live_existing_directory_is_not_changed(void **state)
{
    (void)state;
    FILE *other = fopen(path_in_folder("events.out.tfevents.0000000001.w.9.000.tracepress"), "w");
    fclose(other);
    assert_int_equal(start_recording_with_live_values(folder), 0);
    tracepress_step();
    tracepress_stop();
    assert_int_equal(tp_tfevents_count_files(folder), 1);
    assert_string_equal(read_event_files(path_in_folder("w_1")), "version\n0 profile_step/time_ms=1 described\n");
}

static void live_ranks_have_separate_folders(void **state)
{
    (void)state;
    setenv("WORLD_SIZE", "2", 1);
    assert_int_equal(start_recording_with_live_values(folder), 0);
    unsetenv("WORLD_SIZE");
    tracepress_step();
    tracepress_stop();
    assert_int_equal(tp_tfevents_count_files(folder), 0);
    assert_int_equal(tp_tfevents_count_files(path_in_folder("w_1")), 1);
}

static void live_removed_file_is_created_again(void **state)
{
    (void)state;
    assert_int_equal(start_recording_with_live_values(folder), 0);
    tracepress_step();
    char command[128];
    snprintf(command, sizeof command, "rm %s/events.out.*", folder);
    assert_int_equal(system(command), 0);
    tracepress_step();
    tracepress_stop();
    assert_string_equal(read_event_files(folder), "version\n1 profile_step/time_ms=1 described\n");
}

static void live_child_does_not_write_the_parents_file(void **state)
{
    int status;
    (void)state;
    assert_int_equal(start_recording_with_live_values(folder), 0);
    tracepress_step();
    pid_t child = fork();
    if (child == 0) {
        tracepress_step();
        tracepress_stop();
        _exit(0);
    }
    waitpid(child, &status, 0);
    tracepress_step();
    tracepress_stop();
    assert_string_equal(read_event_files(folder),
                        "version\n0 profile_step/time_ms=1 described\n1 profile_step/time_ms=1\n");
}

static void live_environment_variable_enables_the_file(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.directory = folder;
    options.schedule = (struct tracepress_schedule){.wait = 1000, .active = 1};
    for (int i = 0; i < 2; i++) {
        setenv("TRACEPRESS_LIVE", i ? "1" : "0", 1);
        assert_int_equal(tracepress_start(&options), 0);
        tracepress_step();
        tracepress_stop();
        assert_int_equal(tp_tfevents_count_files(folder), i);
    }
    unsetenv("TRACEPRESS_LIVE");
}

/* ---- errors that end the event file ---- */

/* Runs a child process with a file size limit, so that the limit and one-time messages do not affect other tests.
 * Stores the child's messages in `said` and returns its exit status. */
static int run_limited_child(rlim_t limit, char *said, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {limit, limit};
        dup2(ends[1], STDERR_FILENO);
        start_recording_with_live_values(folder);
        tracepress_step();
        setrlimit(RLIMIT_FSIZE, &most);
        for (int i = 0; i < 5; i++) {
            usleep(260000); /* waits long enough for each step to be written */
            tracepress_step();
        }
        tracepress_stop();
        _exit(7);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], said, size - 1);
    said[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void live_size_limit_ends_the_file_and_not_the_program(void **state)
{
    char said[8192];
    (void)state;
    assert_int_equal(run_limited_child(300, said, sizeof said), 7);
    assert_int_equal(strncmp(said, "tracepress: the live event file gets no more values", 50), 0);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* the message is exactly one line */
    /* the file contains only complete records */
    assert_non_null(strstr(read_event_files(folder), "0 profile_step/time_ms=1 described\n"));
    assert_null(strstr(file_text, "5 profile_step"));
}

static void live_directory_that_cannot_be_made_is_an_error_of_the_start(void **state)
{
    char said[8192];
    (void)state;
    FILE *file = fopen(path_in_folder("file"), "w");
    fclose(file);
    strcat(folder, "/file");
    int status = run_limited_child(RLIM_INFINITY, said, sizeof said);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(status, 7);
    assert_non_null(strstr(said, "nothing is recorded; the program continues: "));
    assert_non_null(strstr(said, "/file: Not a directory"));
    assert_null(strstr(said, "no more values"));
}

/* ---- names ---- */

static void live_names_are_made_harmless(void **state)
{
    char text[] = "..a/b c";
    (void)state;
    tp_tfevents_clean_name(text);
    assert_string_equal(text, "_.a_b_c");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(live_steps_have_times_rates_counters_and_memory),
        IN_FOLDER(live_very_short_steps_are_all_kept),
        IN_FOLDER(live_recordings_of_a_process_share_a_file),
        IN_FOLDER(live_existing_directory_is_not_changed),
        IN_FOLDER(live_ranks_have_separate_folders),
        IN_FOLDER(live_removed_file_is_created_again),
        IN_FOLDER(live_child_does_not_write_the_parents_file),
        IN_FOLDER(live_environment_variable_enables_the_file),
        IN_FOLDER(live_size_limit_ends_the_file_and_not_the_program),
        IN_FOLDER(live_directory_that_cannot_be_made_is_an_error_of_the_start),
        cmocka_unit_test(live_names_are_made_harmless),
        /* runs last, because slots of counters stay in use */
        cmocka_unit_test(live_counters_beyond_the_maximum_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
