/* Reads the memory of another process through the kernel. The process continues meanwhile, so the data may be
 * inconsistent and must be checked. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_other_memory {
    uint32_t pid;
    uint32_t reads_left; /* remaining system calls; at 0 nothing can be read */
    bool is_refused;     /* the kernel has denied access */
};

/* Reads size bytes at an address. Returns false if some of them are missing. */
bool tp_other_read(struct tp_other_memory *memory, uint64_t at, void *to, size_t size);

/* A part to read: `size` bytes at `at`, copied to `to`. */
struct tp_other_part {
    uint64_t at;
    void *to;
    size_t size;
};

enum { TP_OTHER_PARTS = 256 };

/* Reads at most TP_OTHER_PARTS parts with one system call. Returns the number of parts read, counted from the
 * first. */
size_t tp_other_read_parts(struct tp_other_memory *memory, const struct tp_other_part *parts, size_t count);

/* Returns the 8-byte word at an address; also 0 if it cannot be read. */
uint64_t tp_other_word(struct tp_other_memory *memory, uint64_t at);

#endif
