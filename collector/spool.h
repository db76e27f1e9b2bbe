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

struct tp_spool {
    int fd;              /* -1: closed; the program may have closed it, and given its number to a file of its own */
    uint64_t dev, inode; /* of the file: what tells */
    _Atomic uint64_t size;
    _Atomic int failed; /* errno of the first chunk that could not be had; none is tried after it */
    uint64_t max_bytes;
    char path[4096];
};

/* Creates <directory>/<name>, which must not exist. Returns 0 or an errno; the program's files are never touched. */
int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes);

/* A new chunk with its header, mapped; NULL when the disk, the quota or max_bytes is used up. The caller unmaps it. Any
 * thread. */
struct tp_spool_chunk *tp_spool_chunk(struct tp_spool *spool, uint32_t size, const struct tp_spool_chunk *header);

/* Closes the file; mapped chunks stay valid. is_removed: deletes it, too. */
void tp_spool_close(struct tp_spool *spool, bool is_removed);

#endif
