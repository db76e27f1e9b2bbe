/* The buffers that CUPTI fills: lent out, given back, used again.
 *
 * CUPTI asks for buffers on the program's own threads, several at once, and gives them back on any: nothing here locks,
 * and a full pool is an answer. A buffer that CUPTI has not given back is never freed, whatever happens. */
#ifndef TP_COLLECTOR_SOURCE_CUPTI_POOL_H
#define TP_COLLECTOR_SOURCE_CUPTI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TP_CUPTI_BUFFER_BYTES = 1 << 20,
    TP_CUPTI_BUFFERS = 128,         /* 128 MiB of addresses at most; pages that are not written cost nothing */
    TP_CUPTI_EXTRA_BYTES = 64 << 10 /* of a buffer beyond these */
};

/* Lends a buffer and tells its size. When all are lent: NULL, or, with must_have, one that is freed when it comes back.
 */
uint8_t *tp_cupti_pool_lend(size_t *size, bool must_have);

/* Takes back a buffer that was lent with that size. */
void tp_cupti_pool_return(uint8_t *buffer, size_t size);

/* Frees those that are not lent. */
void tp_cupti_pool_trim(void);

/* How many are lent now. */
unsigned tp_cupti_pool_lent(void);

#endif
