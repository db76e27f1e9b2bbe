/* Tests the environment variables of programs that a recorded program starts. */
#include "collector/exec_environment.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/confined.h"

#define OURS "/proc/self/exe" /* used instead of the preload library, because this file is always readable */

static int store_environment(void **state)
{
    (void)state;
    clearenv();
    setenv("TRACEPRESS_SPOOLS", "/run", 1);
    setenv("TRACEPRESS_SOURCES", "io", 1);
    setenv("HOME", "/root", 1);
    tp_exec_set_library(OURS);
    return 0;
}

static int restore_environment(void **state)
{
    (void)state;
    tp_confined_ = TP_CONFINED_NOT;
    clearenv();
    tp_exec_set_library(NULL);
    return 0;
}

/* Returns the resulting environment as lines of text. */
static const char *make_environment_lines(bool fits, const char *a, const char *b)
{
    static char text[512];
    char *given[] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL};
    size_t bytes = tp_exec_environment_bytes(given);
    void *room = malloc(bytes); /* allocates exactly the computed size, so that sanitizers detect writes beyond it */
    assert_non_null(room);
    char **out = tp_exec_build_environment(given, fits, room);
    *text = '\0';
    for (char **at = out ? out : given; *at; at++)
        strcat(strcat(text, *at), "\n");
    free(room);
    return text;
}

static const char *make_fitting_environment(const char *a, const char *b)
{
    return make_environment_lines(true, a, b);
}

static void removed_variables_are_restored(void **state)
{
    (void)state;
    assert_string_equal(make_fitting_environment(NULL, NULL),
                        "TRACEPRESS_SPOOLS=/run\nTRACEPRESS_SOURCES=io\nLD_PRELOAD=" OURS "\n");
    assert_string_equal(make_fitting_environment("A=1", "LD_PRELOAD=x.so"),
                        "A=1\nTRACEPRESS_SPOOLS=/run\nTRACEPRESS_SOURCES=io\nLD_PRELOAD=" OURS ":x.so\n");
}

static void variables_of_the_program_stay(void **state)
{
    (void)state;
    assert_string_equal(make_fitting_environment("TRACEPRESS_SPOOLS=/other", "LD_PRELOAD=" OURS),
                        "TRACEPRESS_SPOOLS=/other\nTRACEPRESS_SOURCES=io\nLD_PRELOAD=" OURS "\n");
    assert_string_equal(make_fitting_environment("TRACEPRESS_SPOOLS=/run", "TRACEPRESS_SOURCES="),
                        "TRACEPRESS_SPOOLS=/run\nTRACEPRESS_SOURCES=\nLD_PRELOAD=" OURS "\n");
}

static void unreadable_library_is_not_preloaded(void **state)
{
    (void)state;
    tp_confined_ = TP_CONFINED_ITSELF;
    assert_string_equal(make_fitting_environment("TRACEPRESS_SPOOLS=/run", "LD_PRELOAD=" OURS ":x.so"),
                        "LD_PRELOAD=x.so\n");
    assert_string_equal(make_fitting_environment("LD_PRELOAD=" OURS, "A=1"), "A=1\n");
    tp_confined_ = TP_CONFINED_NOT;
    tp_exec_set_library("/nowhere/ours.so");
    assert_string_equal(make_fitting_environment("LD_PRELOAD=/nowhere/ours.so", "A=1"), "A=1\n");
    assert_string_equal(make_fitting_environment("A=1", "B=2"), "A=1\nB=2\n");
}

static void incompatible_program_gets_no_library(void **state)
{
    (void)state;
    assert_string_equal(make_environment_lines(false, "TRACEPRESS_SPOOLS=/run", "LD_PRELOAD=" OURS ":x.so"),
                        "LD_PRELOAD=x.so\n");
    assert_string_equal(make_environment_lines(false, "A=1", "LD_PRELOAD=" OURS), "A=1\n");
    assert_string_equal(make_environment_lines(false, "A=1", "B=2"), "A=1\nB=2\n");
}

static void programs_are_found_as_exec_finds_them(void **state)
{
    (void)state;
    setenv("PATH", "/nowhere:/bin", 1);
    assert_true(tp_exec_report_unfit_program(&(struct tp_exec_program){"sh", true, AT_FDCWD}));
    assert_true(tp_exec_report_unfit_program(&(struct tp_exec_program){"/bin/sh", false, AT_FDCWD}));
    assert_true(tp_exec_report_unfit_program(&(struct tp_exec_program){"none", true, AT_FDCWD}));
    assert_true(tp_exec_report_unfit_program(&(struct tp_exec_program){"", false, -1}));
    assert_true(tp_exec_report_unfit_program(&(struct tp_exec_program){NULL, false, -1}));
}

static void missing_environment_gets_recorder_variables(void **state)
{
    (void)state;
    char *room[64];
    assert_in_range(tp_exec_environment_bytes(NULL), 1, sizeof room);
    char **out = tp_exec_build_environment(NULL, true, room);
    assert_non_null(out);
    assert_string_equal(out[2], "LD_PRELOAD=" OURS);
    assert_null(out[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(removed_variables_are_restored, store_environment, restore_environment),
        cmocka_unit_test_setup_teardown(variables_of_the_program_stay, store_environment, restore_environment),
        cmocka_unit_test_setup_teardown(unreadable_library_is_not_preloaded, store_environment, restore_environment),
        cmocka_unit_test_setup_teardown(incompatible_program_gets_no_library, store_environment, restore_environment),
        cmocka_unit_test_setup_teardown(programs_are_found_as_exec_finds_them, store_environment, restore_environment),
        cmocka_unit_test_setup_teardown(missing_environment_gets_recorder_variables, store_environment,
                                        restore_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
