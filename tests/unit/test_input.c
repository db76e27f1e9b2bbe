/* Tests input files: which files can be opened, and errors of a failing disk. */
#include "writer/base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/faulty_files.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-input-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    FILE *file = fopen("file", "w");
    for (int i = 0; file && i < 70000; i++)
        putc('a' + i % 26, file);
    return !file || fclose(file) || mkfifo("pipe", 0600) || mkdir("sub", 0700) || symlink("file", "link") ? -1 : 0;
}

static int leave_folder(void **state)
{
    (void)state;
    stop_failing_calls();
    return unlink("file") || unlink("pipe") || unlink("link") || rmdir("sub") || chdir("/") || rmdir(folder);
}

static void input_found_by_search_is_a_regular_file(void **state)
{
    const char *const names[] = {"pipe", "sub", "/dev/zero", "none", "file/x"};
    const int codes[] = {TP_EIO, TP_EIO, TP_EIO, TP_ENOTFOUND, TP_ENOTFOUND};
    struct tp_input input;
    struct tp_error err;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(tp_input_open(&input, names[i], TP_INPUT_FILE, &err), codes[i]);
        assert_int_equal(input.fd, -1);
    }
    assert_int_equal(tp_input_open(&input, "link", TP_INPUT_FILE, &err), TP_OK);
    assert_true(input.is_regular);
    assert_int_equal(input.size, 70000);
    close(input.fd);
    assert_int_equal(tp_input_open(&input, "/dev/null", TP_INPUT_NAMED, &err), TP_OK);
    assert_false(input.is_regular);
    close(input.fd);
}

static void input_of_short_reads_is_complete(void **state)
{
    struct tp_buf all;
    struct tp_error err;
    (void)state;
    make_call_fail(FAULT_READ, FAULT_SHORT);
    tp_buf_init(&all, 0);
    assert_int_equal(tp_input_read_all(&all, "file", TP_INPUT_NAMED, &err), TP_OK);
    assert_int_equal(all.size, 70000);
    for (int i = 0; i < 70000; i++)
        assert_int_equal(all.data[i], 'a' + i % 26);
    tp_buf_release(&all);
}

static void input_error_names_the_byte(void **state)
{
    const int errors[] = {EIO, ESTALE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char want[100];
        struct tp_buf all;
        struct tp_error err = {0};
        tp_buf_init(&all, 0);
        fail_call_after(FAULT_READ, 1, errors[i]); /* the second read fails, after 64 KiB */
        assert_int_equal(tp_input_read_all(&all, "file", TP_INPUT_FILE, &err), TP_EIO);
        snprintf(want, sizeof want, "cannot read from byte 65536 on: %s", strerror(errors[i]));
        assert_string_equal(err.text, want);
        assert_int_equal(err.offset, 65536);
        tp_buf_release(&all);
    }
}

static void input_beyond_its_maximum_is_refused(void **state)
{
    struct tp_buf all;
    struct tp_error err;
    (void)state;
    tp_buf_init(&all, 65537);
    assert_int_equal(tp_input_read_all(&all, "file", TP_INPUT_FILE, &err), TP_ELIMIT);
    tp_buf_release(&all);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(input_found_by_search_is_a_regular_file),
        CASE(input_of_short_reads_is_complete),
        CASE(input_error_names_the_byte),
        CASE(input_beyond_its_maximum_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
