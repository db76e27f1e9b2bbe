/* Tests dumps of code that is generated at run time. The last record that contains an address names the address. The
 * code itself and all other content are ignored. */
#include "collector/outside/code/jit_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/limits.h"

static struct dump {
    char bytes[1 << 20];
    size_t size;
} dump;

static void put_bytes(const void *bytes, size_t size)
{
    assert_true(dump.size + size <= sizeof dump.bytes);
    memcpy(dump.bytes + dump.size, bytes, size);
    dump.size += size;
}

static void begin_dump(uint32_t head_bytes)
{
    const uint32_t head[12] = {0x4A695444, 1, head_bytes, 62};
    memset(&dump, 0, sizeof dump);
    put_bytes(head, head_bytes);
}

static void put_record(uint32_t kind, uint64_t address, uint64_t size, const char *name, size_t code_bytes)
{
    static const char code[1 << 16] = {0};
    const struct {
        uint32_t kind, total_size;
        uint64_t time;
        uint32_t pid, tid;
        uint64_t virtual_address, address, size, index;
    } load = {kind, (uint32_t)(sizeof load + strlen(name) + 1 + code_bytes), 0, 1, 1, address, address, size, 0};
    put_bytes(&load, sizeof load);
    put_bytes(name, strlen(name) + 1);
    put_bytes(code, code_bytes);
}

/* Finds the names of three addresses. Returns the number of bytes that were read. */
static uint64_t find_names(const char *names[3], uint64_t left_bytes)
{
    static char name[3][TP_JIT_NAME_BYTES + 1];
    struct tp_jit_wanted wanted[3] = {{0x1000, 0, 0, 0}, {0x1008, 1, 0, 0}, {0x2000, 2, 0, 0}};
    uint64_t before = left_bytes;
    int fd = memfd_create("dump", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, dump.bytes, dump.size) == (ssize_t)dump.size);
    tp_jit_dump_find_names(wanted, 3, fd, &left_bytes);
    for (int i = 0; i < 3; i++) {
        ssize_t got = pread(fd, name[i], wanted[i].name_bytes, (off_t)wanted[i].name_at);
        assert_int_equal(got, wanted[i].name_bytes);
        name[i][got] = '\0';
        names[i] = name[i];
    }
    close(fd);
    return before - left_bytes;
}

static void assert_names(const char *first, const char *second, const char *third, uint64_t left_bytes)
{
    const char *names[3];
    find_names(names, left_bytes);
    assert_string_equal(names[0], first);
    assert_string_equal(names[1], second);
    assert_string_equal(names[2], third);
}

static void last_record_with_an_address_wins(void **state)
{
    (void)state;
    begin_dump(48);
    put_record(0, 0x1000, 16, "first", 60000);
    put_record(2, 0x1000, 16, "no code", 40);
    put_record(0, 0x1008, 8, "second; <b>", 100);
    put_record(0, 0x1ff0, 17, "third", 0);
    put_record(0, 0x2000, 8, "", 10);
    assert_names("first", "second; <b>", "third", UINT64_MAX);
}

static void code_bytes_are_skipped(void **state)
{
    const char *names[3];
    (void)state;
    begin_dump(40);
    for (int i = 0; i < 15; i++)
        put_record(0, 0x2000, 1, "over", 65000);
    assert_true(find_names(names, UINT64_MAX) < 600000);
    assert_string_equal(names[2], "over");
    assert_names("", "", "", 20);
}

static void long_name_is_truncated_across_reads(void **state)
{
    char name[TP_JIT_NAME_BYTES + 100], cut[TP_JIT_NAME_BYTES + 1];
    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    memset(cut, 'n', sizeof cut);
    cut[sizeof cut - 1] = '\0';
    for (size_t before = (1 << 14) - 700; before < (1 << 14) + 20; before += 7) {
        begin_dump(40);
        put_record(1, 0, 0, "", before - 40 - 57);
        put_record(0, 0x1000, 1, name, 10);
        assert_names(cut, "", "", UINT64_MAX);
    }
}

static void invalid_dump_gives_no_names(void **state)
{
    static const struct {
        size_t at, size;
        const char *bytes;
        /* magic number with its bytes in reverse order */
    } changes[] = {{0, 4, "JiTD"},        {8, 4, "\0\0\0\0"},    {8, 4, "\xff\xff\xff\xff"}, {44, 4, "\0\0\0\0"},
                   {44, 4, "\x0f\0\0\0"}, {44, 4, "\x37\0\0\0"}, {44, 4, "\xff\xff\xff\xff"}};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        begin_dump(40);
        put_record(0, 0x2000, 1, "x", 4);
        assert_names("", "", "x", UINT64_MAX);
        memcpy(dump.bytes + changes[i].at, changes[i].bytes, changes[i].size);
        assert_names("", "", i == 6 ? "x" : "",
                     UINT64_MAX); /* the last record is truncated, but its name is complete */
    }
    for (size_t size = 0; size < 40 + 56 + 1; size++) {
        begin_dump(40);
        put_record(0, 0x2000, 1, "x", 4);
        dump.size = size;
        assert_names("", "", "", UINT64_MAX);
    }
}

static void arbitrary_bytes_do_not_crash(void **state)
{
    uint32_t random = 1;
    const char *names[3];
    (void)state;
    for (int turn = 0; turn < 3000; turn++) {
        begin_dump(40);
        for (int i = 0; i < 6; i++)
            put_record((uint32_t)i % 2, 0x1000, 0x2000, "some name", (size_t)i * 9);
        for (int i = 0; i < 4; i++) {
            random = random * 1664525u + 1013904223u;
            dump.bytes[random % dump.size] = (char)(random >> 24);
        }
        find_names(names, UINT64_MAX);
    }
}

static void path_contains_the_process_number(void **state)
{
    (void)state;
    assert_int_equal(tp_jit_dump_pid("/a/jit-12.dump"), 12);
    assert_int_equal(tp_jit_dump_pid("/jit-2147483647.dump"), INT32_MAX);
    static const char *const others[] = {"",
                                         "jit-12.dump",
                                         "/jit-.dump",
                                         "/jit-12.dump2",
                                         "/jit-12",
                                         "/jit--1.dump",
                                         "/jit- 1.dump",
                                         "/jit-1.dump/x",
                                         "/xjit-1.dump",
                                         "/jit-99999999999999999999.dump",
                                         "//anon",
                                         "[vdso]"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(tp_jit_dump_pid(others[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_record_with_an_address_wins),    cmocka_unit_test(code_bytes_are_skipped),
        cmocka_unit_test(long_name_is_truncated_across_reads), cmocka_unit_test(invalid_dump_gives_no_names),
        cmocka_unit_test(arbitrary_bytes_do_not_crash),        cmocka_unit_test(path_contains_the_process_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
