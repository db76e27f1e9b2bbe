/* Writing side of the spool (writer/spool/spool_format.h): a file that grows by chunks, each mapped by the thread that
 * fills it. Blocks are reserved on the disk before a chunk is mapped, so that a full disk is an error here. A file that
 * is cut meanwhile, or a disk that fails, would be SIGBUS in the program: chunks are listed in writer/base/mapped.h, so
 * the recording ends there. */
#ifndef TP_COLLECTOR_SPOOL_H
#define TP_COLLECTOR_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/spool/spool_format.h"

enum { TP_SPOOL_FULL_CHUNK = 64 << 10 }; /* bytes of the chunks that are used again, and of each chunk of a ring */

/* Chunks that nobody writes to and that are still mapped: writing to their pages again costs no faults. */
struct tp_spool_spare {
    _Atomic bool is_held; /* a thread changes the list, which takes some instructions */
    struct tp_spool_chunk *oldest, *newest;
    uint64_t ring_bytes;    /* most bytes that chunks of threads may have in a ring; 0: the spool is no ring */
    _Atomic uint64_t bytes; /* bytes that they have */
};

struct tp_spool {
    int fd;              /* -1: closed; the program may have closed it, and given its number to a file of its own */
    uint64_t dev, inode; /* of the file: what tells */
    _Atomic uint64_t size;
    _Atomic uint64_t written; /* bytes that the file has at least, unless others cut it */
    _Atomic int failed;       /* errno of the first chunk that could not be had; none is tried after it */
    uint64_t max_bytes;
    uint32_t cuts; /* tp_mapped_cuts when it began */
    struct tp_spool_spare spare;
    char path[4096];
};

/* Creates <directory>/<name>, which must not exist, and the folders above it. ring_bytes: when threads have filled as
 * much, the oldest full chunk is used again instead of a new one; 0: never. Returns 0 or an errno; the program's files
 * are never touched. */
int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes, uint64_t ring_bytes);

/* Begins with a file that was handed to us (handed.h), with its head; it lies in <directory> under that name, though
 * this process may not be able to open it there. The descriptor is the spool's. 0 or an errno. */
int tp_spool_adopt(struct tp_spool *spool, int fd, const char *directory, const char *name, uint64_t max_bytes,
                   uint64_t ring_bytes);

/* A chunk for a thread, to be prepared: a new one of `size` bytes or, of TP_SPOOL_FULL_CHUNK bytes, one that is full
 * and whose pages are used again. NULL when the disk, the quota or max_bytes is used up. Needs no lock, and no thread
 * waits for another one. The caller sees to it that the spool stays open, here and in all functions down to
 * tp_spool_unmap. */
struct tp_spool_chunk *tp_spool_take(struct tp_spool *spool, uint32_t size);

/* A new chunk of a ring that has not all of its own so far, to be touched and then kept for tp_spool_take; NULL: it has
 * all, or the disk has little left. */
struct tp_spool_chunk *tp_spool_take_ahead(struct tp_spool *spool);
void tp_spool_touch(struct tp_spool_chunk *chunk);
void tp_spool_keep_ahead(struct tp_spool *spool, struct tp_spool_chunk *chunk);

/* Makes the chunk ready with its header. What is in it is first copied to the end of the file, unless the spool is a
 * ring. NULL when that fails: the chunk is let go of, and what is in it stays. No other thread uses the chunk. */
struct tp_spool_chunk *tp_spool_prepare(struct tp_spool *spool, struct tp_spool_chunk *chunk,
                                        const struct tp_spool_chunk *header);

/* A new chunk for notes: it stays where it is. The caller unmaps it, and holds the session's lock. */
struct tp_spool_chunk *tp_spool_notes(struct tp_spool *spool, uint32_t size);

/* Takes back a chunk of a thread. */
void tp_spool_return(struct tp_spool *spool, struct tp_spool_chunk *chunk);

/* Lets go of a chunk that no spool takes back. NULL is accepted; no lock is needed. */
void tp_spool_unmap(struct tp_spool_chunk *chunk);

/* Closes the file; chunks that others have stay mapped. is_removed: deletes it, too. */
void tp_spool_close(struct tp_spool *spool, bool is_removed);

/* Leaves the spool to the parent, in the child of a fork. The child keeps the mappings without writing to them, because
 * the parent continues to use the spool. */
void tp_spool_leave(struct tp_spool *spool);

#endif
