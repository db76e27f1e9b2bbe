/* Tests reading records of a perf ring for each page size. The test fills the ring itself, because some systems do not
 * allow sampling. */
#include "collector/perf.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RING = 256 << 10, MOST_PAGE = 64 << 10 };

#if defined(__x86_64__)
enum { REGISTERS = 17, STACK_POINTER = 7 };
#else
enum { REGISTERS = 33, STACK_POINTER = 31 };
#endif

static char memory[MOST_PAGE + RING] __attribute__((aligned(MOST_PAGE)));

/* Writes bytes into the ring buffer at position `at`, where they can wrap around its end. Returns the position after
 * them. */
static uint64_t write_bytes_to_ring(struct perf_event_mmap_page *page, uint64_t at, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)page)[page->data_offset + (at + i) % RING] = ((const char *)bytes)[i];
    return at + size;
}

/* Writes a sample at position `at`. Its registers are 1000, 1001 .. in the kernel's order. Returns the position after
 * the sample. */
static uint64_t write_sample_to_ring(struct perf_event_mmap_page *page, uint64_t at, uint64_t time, const char *stack)
{
    uint64_t registers[REGISTERS], size = 64, used = strlen(stack), abi = PERF_SAMPLE_REGS_ABI_64;
    char copied[64] = {0};
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
    header.size = sizeof header + 3 * 8 + sizeof registers + 8 + sizeof copied + 8;
    for (uint64_t i = 0; i < REGISTERS; i++)
        registers[i] = 1000 + i;
    memcpy(copied, stack, used);
    at = write_bytes_to_ring(page, at, &header, sizeof header);
    at = write_bytes_to_ring(page, at, (uint32_t[]){1, 2}, 8);
    at = write_bytes_to_ring(page, at, &time, 8);
    at = write_bytes_to_ring(page, at, &abi, 8);
    at = write_bytes_to_ring(page, at, registers, sizeof registers);
    at = write_bytes_to_ring(page, at, &size, 8);
    at = write_bytes_to_ring(page, at, copied, sizeof copied);
    return write_bytes_to_ring(page, at, &used, 8);
}

static void samples_are_read_for_any_page_size(void **state)
{
    static const uint64_t sizes[] = {4 << 10, 16 << 10, MOST_PAGE};
    static struct tp_stack_copy copy;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)memory;
        struct tp_perf perf = {.ring = page};
        /* starts 100 bytes before the end of the ring buffer, so that the first sample wraps around */
        uint64_t ns = 0, start = RING - 100;
        memset(memory, 0x55, sizeof memory);
        memset(page, 0, sizeof *page);
        page->data_offset = sizes[i];
        page->data_tail = start;
        page->data_head = write_sample_to_ring(page, write_sample_to_ring(page, start, 70, "outer frames"), 90, "more");
        assert_int_equal(tp_perf_unread_count(&perf), 2);
        assert_true(tp_perf_take_sample(&perf, &copy, &ns));
        assert_int_equal(ns, 70);
        assert_int_equal(copy.size, 12);
        assert_memory_equal(copy.bytes, "outer frames", 12);
        assert_int_equal(copy.start, copy.registers[STACK_POINTER]);
        assert_true(copy.start >= 1000 && copy.start < 1000 + REGISTERS);
        assert_true(tp_perf_take_sample(&perf, &copy, &ns));
        assert_int_equal(ns, 90);
        assert_false(tp_perf_take_sample(&perf, &copy, &ns));
        assert_int_equal(page->data_tail, page->data_head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_read_for_any_page_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
