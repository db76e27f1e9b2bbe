/* Tests how functions of files without symbols are found, in this program's own table and in damaged tables. */
#include "writer/spool/eh_frame.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct tp_eh_frame own;
static uint64_t base;

/* Reads bytes of this program from its file. Sanitizers reject reads of memory between variables. */
static const uint8_t *read_own_file(size_t offset, size_t size)
{
    uint8_t *bytes = malloc(size);
    int fd = open("/proc/self/exe", O_RDONLY);
    ssize_t n = bytes && fd >= 0 ? pread(fd, bytes, size, (off_t)offset) : -1;
    close(fd);
    if (n != (ssize_t)size)
        abort();
    return bytes;
}

/* Finds the table of this program, which is the first module. Callback of dl_iterate_phdr. */
static int find_own_table(struct dl_phdr_info *info, size_t size, void *context)
{
    uint64_t table = 0;
    (void)size, (void)context;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            table = info->dlpi_phdr[i].p_vaddr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && table >= p->p_vaddr && table - p->p_vaddr < p->p_filesz)
            own = (struct tp_eh_frame){.bytes = read_own_file(p->p_offset, p->p_filesz),
                                       .size = p->p_filesz,
                                       .address = p->p_vaddr,
                                       .header = table};
    }
    return 1;
}

static int open_own_file(void **state)
{
    (void)state;
    dl_iterate_phdr(find_own_table, NULL);
    return own.size ? 0 : -1;
}

static int close_own_file(void **state)
{
    (void)state;
    free((void *)(uintptr_t)own.bytes);
    return 0;
}

__attribute__((noinline)) static int called_function(int a)
{
    char text[64];
    memset(text, a, sizeof text);
    __asm__ volatile("" : : "r"(text) : "memory");
    return text[a & 63];
}

static uint64_t function_address(int (*function)(int))
{
    return (uint64_t)(uintptr_t)function - base;
}

static void function_is_found_by_each_address(void **state)
{
    struct tp_eh_function f = {0, 0}, other = {0, 0};
    const uint64_t start = function_address(called_function);
    (void)state;
    assert_true(tp_eh_frame_find_function(&f, &own, start));
    assert_int_equal(f.start, start);
    assert_true(f.end > start + 8);
    for (uint64_t pc = start; pc < f.end; pc++) {
        assert_true(tp_eh_frame_find_function(&other, &own, pc));
        assert_int_equal(other.start, start);
        assert_int_equal(other.end, f.end);
    }
    assert_true(!tp_eh_frame_find_function(&other, &own, start - 1) || other.start < start);
    assert_true(!tp_eh_frame_find_function(&other, &own, f.end) || other.start >= f.end);
}

static void addresses_outside_of_code_find_no_function(void **state)
{
    struct tp_eh_function f;
    const struct tp_eh_frame none = {0};
    (void)state;
    assert_false(tp_eh_frame_find_function(&f, &own, 0));
    assert_false(tp_eh_frame_find_function(&f, &own, own.header));
    assert_false(tp_eh_frame_find_function(&f, &own, UINT64_MAX));
    assert_false(tp_eh_frame_find_function(&f, &none, 1));
    assert_false(tp_eh_frame_find_function(&f, &none, 0));
}

/* A call frame table: its header, a common entry, and the entry of a function of 0x40 bytes at address 0x5000. */
static const uint8_t small[] = {
    1,    0x1b, 0x03, 0x3b, 0,    0, 0, 0, 1,    0,    0,   0, /* header at 0x1000: one row */
    0x00, 0x40, 0,    0,    0x2c, 0, 0, 0,                     /* row: function at 0x5000, entry at 0x102c */
    0x14, 0,    0,    0,    0,    0, 0, 0, 1,    'z',  'R', 0,
    1,    0x78, 16,   1,    0x1b, 0, 0, 0, /* common entry at 0x1014: addresses are relative and have 4 bytes */
    0,    0,    0,    0,                   /* padding up to 0x102c */
    0x10, 0,    0,    0,    0x1c, 0, 0, 0, 0xcc, 0x3f, 0,   0,
    0x40, 0,    0,    0,    0,    0, 0, 0, /* function entry at 0x102c: start 0x5000, relative to 0x1034 */
};

static struct tp_eh_frame make_small_table(uint8_t *bytes, size_t size)
{
    memcpy(bytes, small, size);
    return (struct tp_eh_frame){.bytes = bytes, .size = size, .address = 0x1000, .header = 0x1000};
}

static void table_is_read_by_its_format(void **state)
{
    struct tp_eh_function f;
    uint8_t bytes[sizeof small];
    struct tp_eh_frame frame = make_small_table(bytes, sizeof bytes);
    (void)state;
    assert_true(tp_eh_frame_find_function(&f, &frame, 0x503f));
    assert_int_equal(f.start, 0x5000);
    assert_int_equal(f.end, 0x5040);
    assert_false(tp_eh_frame_find_function(&f, &frame, 0x5040));
    assert_false(tp_eh_frame_find_function(&f, &frame, 0x4fff));
    bytes[36] = 0x01; /* the encoding is unknown */
    assert_false(tp_eh_frame_find_function(&f, &frame, 0x5000));
}

/* Changes each byte and cuts the table at each length. Sanitizers check that no read is out of bounds. */
static void damaged_table_causes_no_wrong_read(void **state)
{
    struct tp_eh_function f;
    (void)state;
    for (size_t size = 0; size <= sizeof small; size++) {
        uint8_t *bytes = malloc(size + !size);
        assert_non_null(bytes);
        struct tp_eh_frame frame = make_small_table(bytes, size);
        bool is_found = tp_eh_frame_find_function(&f, &frame, 0x5000);
        assert_true(is_found == (size == sizeof small));
        for (size_t at = 0; at < size; at++)
            for (unsigned value = 0; value < 256; value += 5) {
                bytes[at] ^= (uint8_t)value;
                if (tp_eh_frame_find_function(&f, &frame, 0x5000))
                    assert_true(f.start <= 0x5000 && f.end > 0x5000);
                bytes[at] ^= (uint8_t)value;
            }
        free(bytes);
    }
}

static void search_in_damaged_real_table_ends(void **state)
{
    struct tp_eh_function f;
    struct tp_eh_frame frame = own;
    uint8_t *bytes = malloc(own.size);
    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, own.bytes, own.size);
    frame.bytes = bytes;
    const size_t from = (size_t)(own.header - own.address);
    for (unsigned seed = 1; seed < 20000; seed++) {
        size_t at = from + seed * 2654435761u % (own.size - from);
        bytes[at] ^= (uint8_t)(seed * 31u | 1u);
        uint64_t pc = function_address(called_function) + seed % 4096;
        if (tp_eh_frame_find_function(&f, &frame, pc))
            assert_true(f.start <= pc && pc < f.end);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(function_is_found_by_each_address),
        cmocka_unit_test(addresses_outside_of_code_find_no_function),
        cmocka_unit_test(table_is_read_by_its_format),
        cmocka_unit_test(damaged_table_causes_no_wrong_read),
        cmocka_unit_test(search_in_damaged_real_table_ends),
    };
    return cmocka_run_group_tests(tests, open_own_file, close_own_file);
}
