/* Reads the memory of another process through the kernel. The process continues meanwhile, so the caller must check
 * that the data is consistent. Only one thread may use the same struct. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_other_memory {
    uint32_t pid;
    uint32_t remaining_read_count; /* count of system calls that are still allowed; 0: all reads fail */
    bool is_refused;               /* true after the kernel has denied access */
};

/* Reads `size` bytes at an address into `to`. Returns false if some of the bytes cannot be read. */
bool tp_other_memory_read(struct tp_other_memory *memory, uint64_t at, void *to, size_t size);

/* Part of memory to read: `size` bytes at address `at`, copied to `to`. */
struct tp_other_part {
    uint64_t at;
    void *to;
    size_t size;
};

enum { TP_OTHER_PARTS = 256 };

/* Reads at most TP_OTHER_PARTS parts with one system call. Returns the number of leading parts that were read. */
size_t tp_other_memory_read_parts(struct tp_other_memory *memory, const struct tp_other_part *parts, size_t count);

/* Returns the 8-byte word at an address, or 0 if the word cannot be read. */
uint64_t tp_other_memory_read_word(struct tp_other_memory *memory, uint64_t at);

#endif
