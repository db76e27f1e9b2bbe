/* Tests output files: a file is complete or absent. Symlinks are followed, closed pipes and existing files are safe,
 * and no temporary files remain. */
#include "writer/base/fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/faulty_files.h"
#include "writer/base/temporary.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-fs-XXXXXX");
    stop_failing_calls();
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

static void write_old_file(const char *path)
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
    write_old_file("r.html");
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    assert_int_equal(tp_outfile_write(file, "new", 3, NULL), 0);
    assert_content("r.html", "old");
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_null(file);
    assert_content("r.html", "new");
    assert_int_equal(count_files(), 1);
}

static void discarded_outfile_keeps_the_old_file(void **state)
{
    struct tp_outfile *file;
    (void)state;
    write_old_file("r.html");
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
    write_old_file("real.html");
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

static void outfile_reports_a_full_device_by_commit(void **state)
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

/* ---- two simultaneous writers, with equal or different process ids ---- */

enum { MUCH = 300000 }; /* larger than the buffer, bytes */

static void write_large_content(struct tp_outfile *file, char c)
{
    char *bytes = malloc(MUCH);
    memset(bytes, c, MUCH);
    assert_int_equal(tp_outfile_write(file, bytes, MUCH, NULL), 0);
    free(bytes);
}

static void assert_large_content(const char *path, char c)
{
    FILE *file = fopen(path, "r");
    int seen = 0;
    assert_non_null(file);
    for (int now; (now = getc(file)) != EOF; seen++)
        assert_int_equal(now, c);
    assert_int_equal(seen, MUCH);
    fclose(file);
}

/* Writes from two processes with the same process id, as in two containers that share a disk. */
static void write_from_two_processes(int tmpfile_error)
{
    struct tp_outfile *a, *b;
    stop_failing_calls();
    make_call_fail(FAULT_TMPFILE, tmpfile_error);
    assert_int_equal(tp_outfile_open(&a, "t.gz", NULL), 0);
    write_large_content(a, 'a');
    assert_int_equal(tp_outfile_open(&b, "t.gz", NULL), 0);
    write_large_content(b, 'b');
    assert_int_equal(tp_outfile_commit(&a, NULL), 0);
    assert_large_content("t.gz", 'a');
    assert_int_equal(tp_outfile_commit(&b, NULL), 0);
    assert_large_content("t.gz", 'b');
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink("t.gz"), 0);
    stop_failing_calls();
}

static void outfile_writers_with_equal_pids_do_not_collide(void **state)
{
    (void)state;
    write_from_two_processes(0);
    write_from_two_processes(EOPNOTSUPP);
}

static void outfile_removes_only_files_of_dead_writers(void **state)
{
    struct tp_outfile *file;
    char dead[TP_TEMPORARY_NAME], living[TP_TEMPORARY_NAME], base[256];
    (void)state;
    memset(base, 'n', 255);
    base[255] = '\0';
    close(tp_temporary_create(dead, AT_FDCWD, base, 0666));
    int fd = tp_temporary_create(living, AT_FDCWD, base, 0666);
    assert_true(fd >= 0);
    write_old_file(".other.tracepress-0123456789abcdef.tmp");
    write_old_file(".tracepress-1.tmp");
    assert_int_equal(tp_outfile_open(&file, base, NULL), 0);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(living, F_OK), 0);
    assert_int_equal(tp_outfile_write(file, "x", 1, NULL), 0);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_content(base, "x");
    assert_int_equal(count_files(), 4);
    assert_false(tp_temporary_is_abandoned(AT_FDCWD, living));
    close(fd);
    assert_true(tp_temporary_is_abandoned(AT_FDCWD, living));
}

/* Creates a temporary file like that of another writer, last written `minutes` minutes ago. Returns the open file. */
static int make_temporary_file(const char *name, int minutes)
{
    write_old_file(name);
    const struct timespec times[] = {{.tv_sec = time(NULL) - 60 * minutes}, {.tv_sec = time(NULL) - 60 * minutes}};
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
    int fd = open(name, O_RDWR);
    assert_true(fd >= 0);
    return fd;
}

static void outfile_removes_hour_old_files_of_other_targets(void **state)
{
    struct tp_outfile *file;
    const char *dead = ".a.html.tracepress-0123456789abcdef.tmp", *living = ".b.html.tracepress-0123456789abcdef.tmp",
               *recent = ".c.html.tracepress-0123456789abcdef.tmp", *later = ".d.html.tracepress-0123456789abcdef.tmp",
               *other = ".a.html.somebodys-0123456789abcdef.tmp";
    (void)state;
    close(make_temporary_file(dead, 61));
    close(make_temporary_file(recent, 58));
    close(make_temporary_file(later, -90));
    close(make_temporary_file(other, 6000));
    int fd = make_temporary_file(living, 6000);
    assert_true(tp_temporary_lock(fd));
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(living, F_OK), 0);
    assert_int_equal(access(recent, F_OK), 0);
    assert_int_equal(access(later, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(count_files(), 5);
    close(fd);
}

static void outfile_without_locks_removes_nothing(void **state)
{
    struct tp_outfile *file;
    char dead[TP_TEMPORARY_NAME];
    (void)state;
    make_call_fail(FAULT_FLOCK, ENOLCK);
    close(tp_temporary_create(dead, AT_FDCWD, "r.html", 0666));
    close(make_temporary_file(".a.html.tracepress-0123456789abcdef.tmp", 6000));
    assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    stop_failing_calls();
    assert_int_equal(access(dead, F_OK), 0);
    assert_int_equal(count_files(), 3);
}

static void outfile_keeps_the_mode_of_the_replaced_file(void **state)
{
    const mode_t modes[] = {0600, 0664, 0755};
    struct tp_outfile *file;
    struct stat info;
    (void)state;
    for (int i = 0; i < 6; i++) {
        make_call_fail(FAULT_TMPFILE, i % 2 ? EISDIR : 0);
        write_old_file("r.html");
        assert_int_equal(chmod("r.html", modes[i / 2]), 0);
        assert_int_equal(tp_outfile_open(&file, "r.html", NULL), 0);
        assert_int_equal(tp_outfile_commit(&file, NULL), 0);
        assert_int_equal(stat("r.html", &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i / 2]);
    }
    stop_failing_calls();
}

/* ---- errors of a failing disk ---- */

/* Replaces the content "old" by "new" while a call fails. is_first: no old file exists. Checks that no other file
 * remains. Returns the result. */
static int replace_file(bool is_first, struct tp_error *err)
{
    struct tp_outfile *file;
    unlink("r.html");
    if (!is_first)
        write_old_file("r.html");
    int code = tp_outfile_open(&file, "r.html", err);
    if (code == 0)
        tp_outfile_write(file, "new", 3, err);
    if (code == 0)
        code = tp_outfile_commit(&file, err);
    stop_failing_calls();
    assert_int_equal(count_files(), code == 0 || !is_first || access("r.html", F_OK) == 0);
    return code;
}

static void outfile_failing_calls_keep_the_old_file(void **state)
{
    const enum fault_call calls[] = {FAULT_RENAME, FAULT_FSYNC, FAULT_WRITE};
    const int errors[] = {EIO, ENOSPC, ESTALE, EDQUOT};
    (void)state;
    for (size_t i = 0; i < 24; i++) {
        struct tp_error err = {0};
        make_call_fail(FAULT_TMPFILE, i % 2 ? EOPNOTSUPP : 0);
        make_call_fail(calls[i / 2 % 3], errors[i / 6]);
        assert_int_equal(replace_file(false, &err), TP_EIO);
        assert_content("r.html", "old");
        assert_non_null(strstr(err.text, "r.html: cannot write: "));
        assert_non_null(strstr(err.text, strerror(errors[i / 6])));
    }
}

static void outfile_is_complete_after_short_writes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        make_call_fail(FAULT_TMPFILE, i % 2 ? EOPNOTSUPP : 0);
        make_call_fail(FAULT_WRITE, FAULT_SHORT);
        assert_int_equal(replace_file(i / 2, NULL), 0);
        assert_content("r.html", "new");
    }
}

static void outfile_that_cannot_be_linked_is_copied(void **state)
{
    const int errors[] = {EPERM, EACCES, EXDEV, ENOENT};
    (void)state;
    for (int i = 0; i < 8; i++) {
        make_call_fail(FAULT_LINK, errors[i / 2]);
        assert_int_equal(replace_file(i % 2, NULL), 0);
        assert_content("r.html", "new");
    }
}

static void outfile_syncs_its_folder(void **state)
{
    struct tp_error err = {0};
    (void)state;
    fail_call_after(FAULT_FOLDER_FSYNC, 1, EIO);
    assert_int_equal(replace_file(false, &err), 0);
    make_call_fail(FAULT_FOLDER_FSYNC, EIO);
    assert_int_equal(replace_file(false, &err), TP_EIO);
    assert_content("r.html", "new");
    assert_non_null(strstr(err.text, "r.html: written, but its folder cannot be synced"));
    make_call_fail(FAULT_FOLDER_FSYNC, EINVAL); /* some file systems do not support fsync of a folder */
    assert_int_equal(replace_file(true, NULL), 0);
}

static void outfile_of_a_library_has_a_unique_name(void **state)
{
    struct tp_outfile *file;
    const char *path;
    (void)state;
    write_old_file("r.db");
    assert_int_equal(tp_outfile_open(&file, "r.db", NULL), 0);
    assert_int_equal(tp_outfile_temporary(&path, file, NULL), 0);
    assert_non_null(path);
    assert_true(tp_temporary_is_name(strrchr(path, '/') + 1, "r.db"));
    assert_false(tp_temporary_is_abandoned(AT_FDCWD, path));
    assert_content(path, "");
    assert_int_equal(tp_outfile_commit(&file, NULL), 0);
    assert_content("r.db", "");
    assert_int_equal(tp_outfile_open(&file, "/dev/null", NULL), 0);
    assert_int_equal(tp_outfile_temporary(&path, file, NULL), 0);
    assert_null(path);
    tp_outfile_discard(&file);
    assert_int_equal(count_files(), 1);
}

static void folder_is_created_with_its_parents(void **state)
{
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_folder_make("a/b//c/", &err), TP_OK);
    assert_int_equal(tp_folder_make("a/b/c", &err), TP_OK);
    assert_int_equal(rmdir("a/b/c"), 0);
    write_old_file("a/b/file");
    assert_int_equal(tp_folder_make("a/b/file/d", &err), TP_EIO);
    assert_non_null(strstr(err.text, "a/b/file"));
    assert_int_equal(unlink("a/b/file") || rmdir("a/b") || rmdir("a"), 0);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(outfile_replaces_only_when_committed),
        CASE(discarded_outfile_keeps_the_old_file),
        CASE(outfile_follows_a_symlink),
        CASE(outfile_obeys_the_umask),
        CASE(outfile_writes_a_device_directly),
        CASE(outfile_reports_a_full_device_by_commit),
        CASE(outfile_names_the_path_that_cannot_be_opened),
        CASE(outfile_writers_with_equal_pids_do_not_collide),
        CASE(outfile_removes_only_files_of_dead_writers),
        CASE(outfile_without_locks_removes_nothing),
        CASE(outfile_removes_hour_old_files_of_other_targets),
        CASE(outfile_keeps_the_mode_of_the_replaced_file),
        CASE(outfile_failing_calls_keep_the_old_file),
        CASE(outfile_is_complete_after_short_writes),
        CASE(outfile_that_cannot_be_linked_is_copied),
        CASE(outfile_syncs_its_folder),
        CASE(outfile_of_a_library_has_a_unique_name),
        CASE(folder_is_created_with_its_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
