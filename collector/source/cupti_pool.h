/* Manages the buffers that CUPTI fills: lends them, takes them back and reuses them.
 *
 * CUPTI requests buffers on several of the program's own threads simultaneously, and returns them on any thread.
 * Therefore this module takes no lock, and may run out of buffers. A buffer that CUPTI has not returned is never
 * freed. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_POOL_H
#define TP_COLLECTOR_SOURCE_CUPTI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TP_CUPTI_BUFFER_BYTES = 1 << 20,
    /* maximum number of buffers, 128 MiB of address space; pages of a buffer that are not written use no memory */
    TP_CUPTI_BUFFERS = 128,
    TP_CUPTI_EXTRA_BYTES = 64 << 10 /* size of an additional buffer, which is lent if all others are lent, bytes */
};

/* Lends a buffer and sets *size to its size in bytes. If all buffers are lent, returns NULL. With must_have, returns an
 * additional buffer instead, which is freed when CUPTI gives it back. */
uint8_t *tp_cupti_pool_get_buffer(size_t *size, bool must_have);

/* Takes back a buffer. size: as set by tp_cupti_pool_get_buffer. */
void tp_cupti_pool_return_buffer(uint8_t *buffer, size_t size);

/* Frees the buffers that are not lent. */
void tp_cupti_pool_unmap_free_buffers(void);

/* Returns the number of lent buffers. */
unsigned tp_cupti_pool_used_count(void);

#endif
