/* Output by rename: whole or absent, older file untouched, nothing left behind. */
#include "writer/base/fs.h"

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

static char folder[] = "/tmp/tp_fs_XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *path, const char *text)
{
    char have[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    have[fread(have, 1, sizeof have - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(have, text);
}

static int count_entries(void)
{
    FILE *pipe = popen("ls -A | wc -l", "r");
    int n = -1;
    assert_int_equal(fscanf(pipe, "%d", &n), 1);
    pclose(pipe);
    return n;
}

static void a_file_appears_at_commit_and_not_before(void **state)
{
    struct tp_outfile *file;
    struct tp_error err;
    (void)state;
    assert_int_equal(tp_outfile_open(&file, "new", &err), 0);
    assert_int_equal(tp_outfile_write(file, "text", 4, &err), 0);
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(tp_outfile_commit(&file, &err), 0);
    assert_null(file);
    assert_file("new", "text");
    assert_int_equal(count_entries(), 1);
    unlink("new");
}

static void discarding_keeps_the_older_file(void **state)
{
    struct tp_outfile *file;
    struct tp_error err;
    (void)state;
    put("old", "old");
    assert_int_equal(tp_outfile_open(&file, "old", &err), 0);
    assert_int_equal(tp_outfile_write(file, "text", 4, &err), 0);
    tp_outfile_discard(&file);
    assert_file("old", "old");
    assert_int_equal(count_entries(), 1);
    unlink("old");
}

static void a_symbolic_link_is_followed_and_stays(void **state)
{
    struct tp_outfile *file;
    struct tp_error err;
    struct stat info;
    (void)state;
    put("real", "old");
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(tp_outfile_open(&file, "link", &err), 0);
    assert_int_equal(tp_outfile_write(file, "text", 4, &err), 0);
    assert_int_equal(tp_outfile_commit(&file, &err), 0);
    assert_file("real", "text");
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink("link");
    unlink("real");
}

static void what_cannot_be_written_is_an_error_with_its_name(void **state)
{
    struct tp_outfile *file;
    struct tp_error err;
    (void)state;
    assert_int_equal(tp_outfile_open(&file, "no/such/folder", &err), TP_EIO);
    assert_non_null(strstr(err.text, "no/such/folder"));
    assert_int_equal(tp_outfile_open(&file, ".", &err), TP_EIO);
    assert_non_null(strstr(err.text, "directory"));
    assert_int_equal(tp_outfile_open(&file, "/dev/full", &err), 0);
    assert_int_equal(tp_outfile_write(file, "text", 4, &err), 0);
    assert_int_equal(tp_outfile_commit(&file, &err), TP_EIO);
    assert_int_equal(count_entries(), 0);
}

static void a_dead_run_s_temporary_file_is_removed(void **state)
{
    struct tp_outfile *file;
    struct tp_error err;
    (void)state;
    put(".r.tracepress-999999999.tmp", "half");
    put(".r.tracepress-1.tmp", "of a living process");
    assert_int_equal(tp_outfile_open(&file, "r", &err), 0);
    tp_outfile_discard(&file);
    assert_int_equal(count_entries(), 1);
    unlink(".r.tracepress-1.tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_at_commit_and_not_before),
        cmocka_unit_test(discarding_keeps_the_older_file),
        cmocka_unit_test(a_symbolic_link_is_followed_and_stays),
        cmocka_unit_test(what_cannot_be_written_is_an_error_with_its_name),
        cmocka_unit_test(a_dead_run_s_temporary_file_is_removed),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
