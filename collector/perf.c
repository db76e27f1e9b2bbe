/* Samples threads with the help of the kernel: see perf.h. */
#include "collector/perf.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

enum { RING_BYTES = 256 << 10, STACK_BYTES = 32 << 10 };

#if defined(__x86_64__)
#define REGISTERS 0xff01ffull /* mask of the sampled registers: AX to IP, R8 to R15 */
/* index: DWARF number of a register; value: the kernel's number of it */
static const uint8_t by_dwarf[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,  PERF_REG_X86_DI,
    PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,  PERF_REG_X86_R10, PERF_REG_X86_R11,
    PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP};
enum { DWARF_REGISTERS = sizeof by_dwarf, STACK_POINTER = 7 };
#elif defined(__aarch64__)
#define REGISTERS 0x1ffffffffull /* mask of the sampled registers: x0 to x30, sp, pc, in DWARF order */
static const uint8_t by_dwarf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
enum { DWARF_REGISTERS = sizeof by_dwarf, STACK_POINTER = 31 };
#else
#define REGISTERS 0ull
static const uint8_t by_dwarf[] = {0};
enum { DWARF_REGISTERS = 0, STACK_POINTER = 0 };
#endif

static struct perf_event_mmap_page *ring_page(const struct tp_perf *perf)
{
    return perf->ring;
}

/* Returns the address of the records, which follow the first page of the ring. The size of a page depends on the
 * system. */
static char *ring_records(const struct tp_perf *perf)
{
    return (char *)perf->ring + ring_page(perf)->data_offset;
}

static size_t mapped_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES;
}

bool tp_perf_open(struct tp_perf *perf, pid_t tid, uint64_t period_ns)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = period_ns,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
                                                  PERF_SAMPLE_STACK_USER,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC,
                                   .sample_regs_user = REGISTERS,
                                   .sample_stack_user = STACK_BYTES};
    perf->ring = NULL;
    if (!REGISTERS)
        return false;
    int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return false;
    void *ring = mmap(NULL, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd); /* the mapping keeps the event open without the descriptor, which the program could close or reuse */
    perf->ring = ring == MAP_FAILED ? NULL : ring;
    return perf->ring != NULL;
}

void tp_perf_close(struct tp_perf *perf)
{
    if (perf->ring)
        munmap(perf->ring, mapped_bytes());
    perf->ring = NULL;
}

/* Copies `size` bytes from position `at` of the ring. The bytes may wrap around the end of the ring. */
static void copy_from_ring(const struct tp_perf *perf, uint64_t at, void *to, size_t size)
{
    size_t offset = at % RING_BYTES, first = RING_BYTES - offset < size ? RING_BYTES - offset : size;
    memcpy(to, ring_records(perf) + offset, first);
    memcpy((char *)to + first, ring_records(perf), size - first);
}

static struct perf_event_header event_header_at(const struct tp_perf *perf, uint64_t at)
{
    struct perf_event_header header;
    copy_from_ring(perf, at, &header, sizeof header);
    return header;
}

uint32_t tp_perf_unread_count(const struct tp_perf *perf)
{
    uint64_t head = __atomic_load_n(&ring_page(perf)->data_head, __ATOMIC_ACQUIRE), at = ring_page(perf)->data_tail;
    uint32_t count = 0;
    while (at < head) {
        struct perf_event_header header = event_header_at(perf, at);
        if (header.size < sizeof header)
            break;
        count += header.type == PERF_RECORD_SAMPLE;
        at += header.size;
    }
    return count;
}

/* First part of a sample as the kernel writes it. The registers follow in ascending order, and then the bytes of the
 * stack. */
struct sample_head {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time, abi;
};

/* Reads the sample at `at`. Its sizes are checked although the kernel wrote them. */
static bool read_sample(const struct tp_perf *perf, uint64_t at, uint32_t size, struct tp_stack_copy *copy,
                        uint64_t *monotonic_ns)
{
    struct sample_head head;
    uint64_t registers[64], stack_bytes, used = 0;
    const uint32_t count = (uint32_t)__builtin_popcountll(REGISTERS);
    const uint32_t fixed = (uint32_t)(sizeof head + count * sizeof(uint64_t) + sizeof stack_bytes);
    if (size < fixed)
        return false;
    copy_from_ring(perf, at, &head, sizeof head);
    if (head.abi != PERF_SAMPLE_REGS_ABI_64)
        return false;
    *monotonic_ns = head.time;
    copy_from_ring(perf, at + sizeof head, registers, count * sizeof(uint64_t));
    for (uint32_t i = 0; i < DWARF_REGISTERS; i++)
        copy->registers[i] = registers[__builtin_popcountll(REGISTERS & ((1ull << by_dwarf[i]) - 1))];
    copy->start = copy->registers[STACK_POINTER];
    copy->size = 0;
    copy_from_ring(perf, at + fixed - sizeof stack_bytes, &stack_bytes, sizeof stack_bytes);
    if (stack_bytes && stack_bytes <= STACK_BYTES && fixed + stack_bytes + sizeof used <= size) {
        copy_from_ring(perf, at + fixed + stack_bytes, &used, sizeof used);
        copy->size = (uint32_t)(used < stack_bytes ? used : stack_bytes);
        copy_from_ring(perf, at + fixed, copy->bytes, copy->size);
    }
    return true;
}

bool tp_perf_take_sample(struct tp_perf *perf, struct tp_stack_copy *copy, uint64_t *monotonic_ns)
{
    struct perf_event_mmap_page *page = ring_page(perf);
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    bool is_sample = false;
    while (!is_sample && page->data_tail < head) {
        struct perf_event_header header = event_header_at(perf, page->data_tail);
        /* should not occur; discards all records, because a record without a size would repeat the loop for ever */
        if (header.size < sizeof header) {
            __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
            return false;
        }
        is_sample =
            header.type == PERF_RECORD_SAMPLE && read_sample(perf, page->data_tail, header.size, copy, monotonic_ns);
        __atomic_store_n(&page->data_tail, page->data_tail + header.size, __ATOMIC_RELEASE);
    }
    return is_sample;
}
