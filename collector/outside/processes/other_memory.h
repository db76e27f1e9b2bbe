/* Memory of another process, read by the kernel for us: the process goes on meanwhile, so what is read may be of any
 * moment and is believed nothing. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_OTHER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_other_memory {
    uint32_t pid;
    uint32_t reads_left; /* so many calls of the kernel; then nothing can be read */
    bool is_refused;     /* the kernel said that we may not */
};

/* Reads size bytes at an address. False: not all of them are there. */
bool tp_other_read(struct tp_other_memory *memory, uint64_t at, void *to, size_t size);

/* A piece to read, `size` bytes at `at`, into `to`. */
struct tp_other_piece {
    uint64_t at;
    void *to;
    size_t size;
};

enum { TP_OTHER_PIECES = 256 };

/* Reads pieces, at most TP_OTHER_PIECES, by one call. Returns how many were read, the first ones. */
size_t tp_other_read_pieces(struct tp_other_memory *memory, const struct tp_other_piece *pieces, size_t count);

/* The word of 8 bytes at an address; 0 where it cannot be read, too. */
uint64_t tp_other_word(struct tp_other_memory *memory, uint64_t at);

#endif
