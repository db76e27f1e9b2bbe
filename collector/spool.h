/* Writing side of the spool (writer/spool_format.h): a file that grows by chunks, each mapped by the thread that fills
 * it. Blocks are reserved on the disk before a chunk is mapped, so that a full disk is an error here and never a SIGBUS
 * in the program. */
#ifndef TP_COLLECTOR_SPOOL_H
#define TP_COLLECTOR_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/spool_format.h"

enum { TP_SPOOL_RING_CHUNK = 64 << 10 }; /* bytes of each chunk of a ring */

/* Chunks that are full and stay mapped, to be used again. */
struct tp_spool_ring {
    uint64_t max_bytes, bytes; /* of all its chunks; max_bytes 0: the spool is none */
    struct tp_spool_chunk *oldest, *newest;
};

struct tp_spool {
    int fd;              /* -1: closed; the program may have closed it, and given its number to a file of its own */
    uint64_t dev, inode; /* of the file: what tells */
    _Atomic uint64_t size;
    _Atomic int failed; /* errno of the first chunk that could not be had; none is tried after it */
    uint64_t max_bytes;
    struct tp_spool_ring ring;
    char path[4096];
};

/* Creates <directory>/<name>, which must not exist. ring_bytes: when threads have filled as much, the oldest full chunk
 * is used again instead of a new one; 0: never. Returns 0 or an errno; the program's files are never touched. */
int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes, uint64_t ring_bytes);

/* A new chunk with its header, mapped; NULL when the disk, the quota or max_bytes is used up. The caller gives it back
 * by tp_spool_return, or unmaps it. In a ring it has TP_SPOOL_RING_CHUNK bytes whatever `size` is. The caller holds the
 * session's lock. */
struct tp_spool_chunk *tp_spool_chunk(struct tp_spool *spool, uint32_t size, const struct tp_spool_chunk *header);

/* Takes back a chunk of this spool: a ring keeps it, else it is unmapped. The caller holds the session's lock. */
void tp_spool_return(struct tp_spool *spool, struct tp_spool_chunk *chunk);

/* Closes the file; chunks that others have stay mapped. is_removed: deletes it, too. */
void tp_spool_close(struct tp_spool *spool, bool is_removed);

#endif
