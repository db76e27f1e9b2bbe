/* Tests maps of code that is generated at run time. The last line that contains an address names the address. Other
 * content is ignored, and names become frames. */
#include "collector/outside/code/jit_map.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/limits.h"

static struct tp_input make_file(const char *text, size_t size)
{
    struct tp_input map = {.fd = memfd_create("map", MFD_CLOEXEC), .is_regular = true};
    assert_true(map.fd >= 0 && write(map.fd, text, size) == (ssize_t)size && lseek(map.fd, 0, SEEK_SET) == 0);
    return map;
}

/* Finds the names of four addresses in a map and compares them with the expected names. */
static void find_names(const char *wanted_names[4], const char *text, size_t size, uint64_t left_bytes)
{
    struct tp_jit_wanted wanted[4] = {
        {0x1000, 0, 0, 0}, {0x1008, 1, 0, 0}, {0x2000, 2, 0, 0}, {0x7fffffffffff, 3, 0, 0}};
    const struct tp_input map = make_file(text, size);
    char name[TP_JIT_NAME_BYTES + 1];
    tp_jit_map_find_names(wanted, 4, &map, &left_bytes);
    for (int i = 0; i < 4; i++) {
        ssize_t got = pread(map.fd, name, wanted[i].name_bytes, (off_t)wanted[i].name_at);
        assert_int_equal(got, wanted[i].name_bytes);
        name[got] = '\0';
        assert_string_equal(name, wanted_names[i]);
    }
    close(map.fd);
}

static void last_line_with_an_address_wins(void **state)
{
    static const char text[] =
        "1000 10 first\n2000 1 two words\n0x1000 0x8 second\n1ff0 10 before\n7fffffffffff 1 last";
    (void)state;
    find_names((const char *[]){"second", "first", "two words", "last"}, text, sizeof text - 1, UINT64_MAX);
    find_names((const char *[]){"first", "first", "", ""}, text, 20, UINT64_MAX);
    find_names((const char *[]){"first", "first", "", ""}, text, sizeof text - 1, 15);
}

static void invalid_lines_are_ignored(void **state)
{
    static const char text[] =
        "\n1000\n1000 \n1000 10\n1000 10 \n 1000 0 x\n1000 -1 x\ng000 10 x\n1000 10\tx\n"
        "ffffffffffffffff ffffffffffffffff x\n00000000000001000 10 x\n8000000000000 1 x\n1000 800000000000 x\n"
        "0x 10 x\n1000 0x x\n2000 1 y\n";
    (void)state;
    find_names((const char *[]){"", "", "y", ""}, text, sizeof text - 1, UINT64_MAX);
    find_names((const char *[]){"", "", "", ""}, "", 0, UINT64_MAX);
}

static void line_longer_than_the_buffer_is_read(void **state)
{
    enum { LONG = 200000 };
    char *text = malloc(LONG + 64), wanted[TP_JIT_NAME_BYTES + 1];
    (void)state;
    memset(text, 'n', LONG);
    memcpy(text, "1000 1 ", 7);
    memset(wanted, 'n', sizeof wanted);
    wanted[TP_JIT_NAME_BYTES] = '\0';
    memcpy(text + LONG, "\n2000 1 x\n", 11);
    find_names((const char *[]){wanted, "", "x", ""}, text, LONG + 10, UINT64_MAX);
    find_names((const char *[]){wanted, "", "", ""}, text, LONG, UINT64_MAX);
    free(text);
}

static void a_map_is_read_up_to_its_limit(void **state)
{
    struct tp_jit_wanted wanted = {0x1000, 0, 0, 0};
    uint64_t left_bytes = UINT64_MAX;
    struct tp_input map = make_file("1000 1 x\n", 9);
    (void)state;
    assert_int_equal(ftruncate(map.fd, 1ll << 40), 0);
    tp_jit_map_find_names(&wanted, 1, &map, &left_bytes);
    assert_int_equal(wanted.name_bytes, 1);
    assert_true(UINT64_MAX - left_bytes <= TP_MAX_OUTSIDE_GENERATED_BYTES + (1 << 16));
    close(map.fd);
}

static void names_become_frames(void **state)
{
    static const struct {
        const char *name, *frame;
    } cases[] = {{"JS:*f file:///x/a.js:12:7", "/x/a.js(12): f"},
                 {"JS:~ /x/a b.js:1:2", "/x/a b.js(1): (anonymous)"},
                 {"LazyCompile:^C.f node:fs:3:14", "node:fs(3): C.f"},
                 {"LazyCompile:*f /x/a.js:12", "/x/a.js(12): f"},
                 {"Function:~ node:fs:3", "node:fs(3): (anonymous)"},
                 {"LazyCompile:*f /x/a.js", "LazyCompile:*f /x/a.js [jit]"},
                 {"JS:*f /x/a.js:12", "JS:*f /x/a.js:12 [jit]"},
                 {"JS:*f :1:2", "JS:*f :1:2 [jit]"},
                 {"JS:*f", "JS:*f [jit]"},
                 {"JS:", "JS: [jit]"},
                 {"JS:f 1:2", "JS:f 1:2 [jit]"},
                 {"int Spin.spin(int)", "int Spin.spin(int) [jit]"},
                 {"a;b\tc", "a,b c [jit]"},
                 {"0123456789012345678901234567890123456789", "012345678901234567890123456789012345678"}};
    char frame[40];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = tp_jit_write_frame(frame, sizeof frame, tp_str_of(cases[i].name));
        assert_int_equal(size, strlen(frame));
        assert_string_equal(frame, cases[i].frame);
    }
}

static void only_a_file_of_its_user_is_opened(void **state)
{
    char folder[] = "/tmp/made_map.XXXXXX", path[64];
    struct tp_input map;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/map", folder);
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(at >= 0 && fd >= 0);
    close(fd);
    assert_int_equal(tp_input_open_in(&map, at, "map", getuid() + 1, NULL), TP_EIO);
    assert_int_equal(tp_input_open_in(&map, at, "map", getuid(), NULL), TP_OK);
    close(map.fd);
    assert_int_equal(symlinkat("map", at, "link"), 0);
    assert_int_equal(tp_input_open_in(&map, at, "link", getuid(), NULL), TP_EIO);
    assert_int_equal(map.fd, -1);
    assert_int_equal(mkfifoat(at, "pipe", 0600), 0);
    /* opening a FIFO could block forever, so the file must be refused */
    assert_int_equal(tp_input_open_in(&map, at, "pipe", getuid(), NULL), TP_EIO);
    assert_int_equal(tp_input_open_in(&map, at, "none", getuid(), NULL), TP_ENOTFOUND);
    unlinkat(at, "map", 0), unlinkat(at, "link", 0), unlinkat(at, "pipe", 0);
    close(at);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_line_with_an_address_wins),
                                       cmocka_unit_test(invalid_lines_are_ignored),
                                       cmocka_unit_test(line_longer_than_the_buffer_is_read),
                                       cmocka_unit_test(a_map_is_read_up_to_its_limit),
                                       cmocka_unit_test(names_become_frames),
                                       cmocka_unit_test(only_a_file_of_its_user_is_opened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
