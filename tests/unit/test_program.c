/* Tests how `record` examines a program before its start: where the file is, and whether a library can be preloaded
 * into it. */
#include "collector/launch/program.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- program files ---- */

static char folder[64], path_before[8192];

static int enter_folder(void **state)
{
    const char *path = getenv("PATH");
    (void)state;
    strcpy(folder, "/tmp/tracepress-program-XXXXXX");
    snprintf(path_before, sizeof path_before, "%s", path ? path : "");
    bool is_there = mkdtemp(folder) && chdir(folder) == 0 && mkdir("first", 0700) == 0 && mkdir("second", 0700) == 0;
    return is_there ? 0 : -1;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {"first/tool", "second/tool", "first", "second", "script", "loop", "plain"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    setenv("PATH", path_before, 1);
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static void write_executable(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(name, mode), 0);
}

static void path_is_searched_like_exec(void **state)
{
    static struct tp_program program;
    (void)state;
    setenv("PATH", "first:second", 1);
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, ENOENT);
    write_executable("first/tool", "echo", 0600); /* this file is not executable, so the search continues */
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, EACCES);
    assert_string_equal(program.path, "first/tool");
    write_executable("second/tool", "echo", 0700);
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, 0);
    assert_string_equal(program.path, "second/tool");
    tp_program_find(&program, "");
    assert_int_equal(program.error, ENOENT);
    setenv("PATH", "second:", 1); /* an empty entry means the current folder */
    write_executable("plain", "echo", 0700);
    tp_program_find(&program, "plain");
    assert_int_equal(program.error, 0);
    assert_string_equal(program.path, "plain");
}

static void name_with_slash_is_a_path(void **state)
{
    static struct tp_program program;
    static char longest[5000];
    (void)state;
    tp_program_find(&program, "./first");
    assert_int_equal(program.error, EACCES);
    tp_program_find(&program, "./none");
    assert_int_equal(program.error, ENOENT);
    memset(longest, '/', sizeof longest - 1);
    tp_program_find(&program, longest);
    assert_int_equal(program.error, ENOENT);
}

static void interpreter_of_a_script_is_checked(void **state)
{
    static struct tp_program program;
    (void)state;
    write_executable("script", "#! /bin/sh -e\n", 0700);
    tp_program_find(&program, "./script");
    assert_int_equal(program.error, 0);
    assert_false(program.is_elf);
    assert_null(program.why_plain);
    write_executable("loop", "#!./loop\n",
                     0700); /* exec refuses a script that is its own interpreter; the search must still end */
    tp_program_find(&program, "./loop");
    assert_null(program.why_plain);
    tp_program_find(&program, "/bin/sh");
    assert_true(program.is_elf);
}

static void setuid_program_gets_no_library(void **state)
{
    static struct tp_program program;
    (void)state;
    write_executable("plain", ELFMAG "some bytes", 0700);
    if (getuid() != 0 || chown("plain", 65534, (gid_t)-1) != 0)
        skip();
    assert_int_equal(chmod("plain", 04711), 0);
    tp_program_find(&program, "./plain");
    assert_non_null(strstr(program.why_plain, "setuid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(path_is_searched_like_exec, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(name_with_slash_is_a_path, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(interpreter_of_a_script_is_checked, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(setuid_program_gets_no_library, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
