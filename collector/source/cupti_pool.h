/* Manages the buffers that CUPTI fills: lends them, takes them back and reuses them.
 *
 * CUPTI requests buffers on the program's own threads, several at a time, and returns them on any thread. So this
 * module takes no lock, and the pool may be exhausted. A buffer that CUPTI has not returned is never freed. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_POOL_H
#define TP_COLLECTOR_SOURCE_CUPTI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TP_CUPTI_BUFFER_BYTES = 1 << 20,
    TP_CUPTI_BUFFERS = 128,         /* 128 MiB of address space at most; pages that are not written use no memory */
    TP_CUPTI_EXTRA_BYTES = 64 << 10 /* size of an additional buffer when all are lent */
};

/* Lends a buffer and sets *size to its size in bytes. If all are lent, returns NULL, or with must_have an additional
 * buffer that is freed when it is returned. */
uint8_t *tp_cupti_pool_lend(size_t *size, bool must_have);

/* Takes back a buffer that was lent with that size. */
void tp_cupti_pool_return(uint8_t *buffer, size_t size);

/* Frees the buffers that are not lent. */
void tp_cupti_pool_trim(void);

/* Returns how many buffers are lent. */
unsigned tp_cupti_pool_lent(void);

#endif
