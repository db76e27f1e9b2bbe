/* Tests the reasons that are reported if nothing was recorded: their order, and the remedy of each. */
#include "collector/launch/no_records.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A run to which all causes apply. */
struct run {
    char folder[64];
    struct tp_child child;
    struct tp_no_records nothing;
};

static void init_run_without_records(struct run *run)
{
    *run = (struct run){.folder = "/tmp/tracepress-XXXXXX"};
    assert_non_null(mkdtemp(run->folder));
    assert_int_equal(chmod(run->folder, 0700), 0);
    run->child = (struct tp_child){
        .pid = 77,
        .signal = SIGSEGV,
        .exit_code = 139,
        .end = {
            .is_known = true, .name = "inner", .user = 12345, .group = 12345, .is_confined = true, .cpu_us = 500000}};
    run->nothing = (struct tp_no_records){.name = "outer",
                                          .child = &run->child,
                                          .folder = run->folder,
                                          .sample_rate = 500,
                                          .library_start_name = "outer",
                                          .plain = "inner",
                                          .why_plain = "it is statically linked",
                                          .free_bytes = 1000,
                                          .events_error = EACCES,
                                          .perf_paranoid_level = 4};
}

static void release_run(struct run *run)
{
    assert_int_equal(rmdir(run->folder), 0);
}

static void assert_cause(const struct run *run, enum tp_no_records_cause cause, const char *words)
{
    char text[TP_RUN_PATH_BYTES + 512];
    assert_int_equal(tp_no_records_find_cause(&run->nothing), cause);
    tp_no_records_explain(text, sizeof text, &run->nothing);
    if (!strstr(text, words))
        fail_msg("not \"%s\": %s", words, text);
}

/* Removes each cause after it was reported. The next cause must then be reported. */
static void causes_are_reported_in_order(void **state)
{
    struct run run;
    (void)state;
    init_run_without_records(&run);
    assert_cause(&run, TP_NO_RECORDS_DIED, "signal 11");
    run.nothing.has_library_started = true; /* the library had already started, so the signal is not the reason */
    assert_cause(&run, TP_NO_RECORDS_PERMISSION, "it ran as user 12345; run record as that user");
    run.child.end.user = 0;
    assert_cause(&run, TP_NO_RECORDS_CONFINED, "seccomp");
    run.child.end.is_confined = false;
    assert_cause(&run, TP_NO_RECORDS_NOT_PRELOADABLE,
                 "outer executed inner, and it is statically linked: record it from outside");
    run.nothing.why_plain = NULL;
    assert_cause(&run, TP_NO_RECORDS_REPLACED, "replaced LD_PRELOAD; record that program: tracepress record -- inner");
    strcpy(run.child.end.name, "outer");
    run.nothing.why_plain = "it is statically linked";
    run.nothing.is_started = true;
    assert_cause(&run, TP_NO_RECORDS_STARTED_OTHER,
                 "outer started inner, and it is statically linked: record it from outside");
    run.nothing.is_started = false;
    assert_cause(&run, TP_NO_RECORDS_REFUSED, "kernel.perf_event_paranoid is 4");
    run.nothing.events_error = 0;
    assert_cause(&run, TP_NO_RECORDS_FULL, "free some space");
    run.nothing.free_bytes = UINT64_MAX;
    assert_cause(&run, TP_NO_RECORDS_UNKNOWN_CAUSE, "--list-sources -- outer");
    release_run(&run);
}

/* Tests a program that is too short for a sample. Its short time must be reported, even if nothing else is wrong. */
static void short_program_is_the_first_reason(void **state)
{
    struct run run;
    (void)state;
    init_run_without_records(&run);
    run.nothing.has_library_started = true;
    run.child.end.user = 0;
    run.child.end.is_confined = false;
    strcpy(run.child.end.name, "outer");
    run.nothing.is_started = true;
    run.nothing.free_bytes = UINT64_MAX;
    run.child.end.cpu_us = 6000;
    assert_cause(&run, TP_NO_RECORDS_TOO_SHORT,
                 "too short: it used 6.0 ms of CPU time outside the kernel, enough for 3.0 samples");
    run.child.end.cpu_us = 20000;
    assert_cause(&run, TP_NO_RECORDS_STARTED_OTHER, "started inner");
    release_run(&run);
}

static void container_message_names_its_option(void **state)
{
    struct run run;
    (void)state;
    init_run_without_records(&run);
    run.nothing.has_library_started = true;
    run.nothing.why_plain = NULL;
    run.child.end = (struct tp_child_end){.is_known = true, .name = "outer", .cpu_us = 500000};
    run.nothing.has_seccomp_filter = true;
    run.nothing.events_error = EPERM;
    assert_cause(&run, TP_NO_RECORDS_REFUSED, "--cap-add PERFMON");
    run.nothing.has_seccomp_filter = false;
    run.nothing.perf_paranoid_level = -1;
    assert_cause(&run, TP_NO_RECORDS_REFUSED, "Operation not permitted");
    release_run(&run);
}

/* Tests a program in which the library never started and that got no signal. */
static void exit_before_main_is_next_to_last_cause(void **state)
{
    struct run run;
    (void)state;
    init_run_without_records(&run);
    run.child = (struct tp_child){.pid = 77, .exit_code = 127};
    run.nothing.why_plain = NULL;
    run.nothing.free_bytes = UINT64_MAX;
    assert_cause(&run, TP_NO_RECORDS_LOADER_EXIT, "exit code 127");
    release_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_are_reported_in_order),
        cmocka_unit_test(short_program_is_the_first_reason),
        cmocka_unit_test(container_message_names_its_option),
        cmocka_unit_test(exit_before_main_is_next_to_last_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
