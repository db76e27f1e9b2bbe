/* Output files: whole or absent, through symlinks, never over a pipe's head, nothing left behind. */
#include "writer/base/fs.h"

#include <dirent.h>
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

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-fs-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    DIR *dir = opendir(folder);
    (void)state;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' || entry->d_name[1])
            unlink(entry->d_name);
    if (dir)
        closedir(dir);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static int count_files(void)
{
    DIR *dir = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void assert_content(const char *path, const char *want)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(n, strlen(want));
    assert_string_equal(text, want);
}

static void put_old(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
}

static void outfile_replaces_only_when_committed(void **state)
{
    struct tp_outfile *file;
    (void)state;
    put_old("r.html");
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    assert_int_equal(tp_outfile_write(file, "new", 3, NULL), 0);
    assert_content("r.html", "old");
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_null(file);
    assert_content("r.html", "new");
    assert_int_equal(count_files(), 1);
}

static void outfile_discarded_leaves_the_old_one(void **state)
{
    struct tp_outfile *file;
    (void)state;
    put_old("r.html");
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    tp_outfile_write(file, "new", 3, NULL);
    tp_outfile_discard(&file);
    assert_content("r.html", "old");
    assert_int_equal(count_files(), 1);
    tp_outfile_discard(&file);
}

static void outfile_follows_a_symlink(void **state)
{
    struct tp_outfile *file;
    struct stat info;
    (void)state;
    put_old("real.html");
    assert_int_equal(symlink("real.html", "r.html"), 0);
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    tp_outfile_write(file, "new", 3, NULL);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_int_equal(lstat("r.html", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content("real.html", "new");
}

static void outfile_obeys_the_umask(void **state)
{
    struct tp_outfile *file;
    struct stat info;
    (void)state;
    mode_t old = umask(027);
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    umask(old);
    assert_int_equal(stat("r.html", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void outfile_writes_a_device_directly(void **state)
{
    struct tp_outfile *file;
    (void)state;
    assert_int_equal(tp_outfile_open(&file, "/dev/null", NULL), 0);
    assert_int_equal(tp_outfile_write(file, "x", 1, NULL), 0);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
}

static void outfile_tells_a_full_device_at_the_latest_on_commit(void **state)
{
    struct tp_outfile *file;
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_outfile_open(&file, "/dev/full", &err), 0);
    tp_outfile_write(file, "x", 1, &err);
    assert_int_equal(tp_outfile_commit(&file, &err), TP_EIO);
    assert_non_null(strstr(err.text, "/dev/full"));
}

static void outfile_names_the_path_that_cannot_be_opened(void **state)
{
    struct tp_outfile *file = NULL;
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_outfile_open(&file, "none/r.html", &err), TP_EIO);
    assert_non_null(strstr(err.text, "none/r.html"));
    assert_null(file);
}

static void folder_is_made_with_those_above_it(void **state)
{
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_folder_make("a/b//c/", &err), TP_OK);
    assert_int_equal(tp_folder_make("a/b/c", &err), TP_OK);
    assert_int_equal(rmdir("a/b/c"), 0);
    put_old("a/b/file");
    assert_int_equal(tp_folder_make("a/b/file/d", &err), TP_EIO);
    assert_non_null(strstr(err.text, "a/b/file"));
    assert_int_equal(unlink("a/b/file") || rmdir("a/b") || rmdir("a"), 0);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(outfile_replaces_only_when_committed),
        CASE(outfile_discarded_leaves_the_old_one),
        CASE(outfile_follows_a_symlink),
        CASE(outfile_obeys_the_umask),
        CASE(outfile_writes_a_device_directly),
        CASE(outfile_tells_a_full_device_at_the_latest_on_commit),
        CASE(outfile_names_the_path_that_cannot_be_opened),
        CASE(folder_is_made_with_those_above_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
