/* Writes a spool file (writer/spool/spool_format.h). The file grows by chunks, and the thread that fills a chunk maps
 * it.
 *
 * Disk blocks are reserved before a chunk is mapped, so that a full disk is an error at that point. If somebody
 * truncates the file, or the disk fails, an access to a chunk raises SIGBUS. All chunks are registered in
 * writer/base/mapped.h, so that the signal ends the recording and not the program. */
#ifndef TP_COLLECTOR_SPOOL_H
#define TP_COLLECTOR_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/spool/spool_format.h"

/* size of chunks that are reused, and of all chunks in a ring buffer, bytes */
enum { TP_SPOOL_FULL_CHUNK = 64 << 10 };

/* List of full chunks that are still mapped, but that no thread writes to. Reusing their pages causes no page
 * faults. */
struct tp_spool_spare {
    _Atomic bool is_held; /* spin lock of the list; a thread has the lock only for a few instructions */
    struct tp_spool_chunk *oldest, *newest;
    /* maximum total size of the threads' chunks in a ring buffer, bytes; 0: the spool is not a ring buffer */
    uint64_t ring_bytes;
    _Atomic uint64_t bytes; /* total bytes of the threads' chunks */
};

struct tp_spool {
    /* descriptor of the file; -1: closed. The program may close it and open its own file with the same number */
    int fd;
    uint64_t dev, inode; /* device and inode by which the file is recognized */
    _Atomic uint64_t size;
    _Atomic uint64_t written; /* minimum size of the file in bytes, unless somebody truncates it */
    /* errno of the first request for a chunk that failed; afterwards no chunk is requested; 0: none failed */
    _Atomic int failed;
    uint64_t max_bytes;
    uint32_t cuts; /* value of tp_mapped_cut_count when the spool was created */
    struct tp_spool_spare spare;
    char path[4096];
};

/* Creates <directory>/<name>, which must not exist, and its parent folders. max_bytes: maximum size of the file.
 * ring_bytes: maximum total size of the threads' chunks, from which on the oldest full chunk is reused; 0: no ring
 * buffer. Returns 0 or an errno. Never changes files of the program. */
int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes, uint64_t ring_bytes);

/* Starts a spool with a file that `record` has created as <directory>/<name> together with its head (spool_socket.h).
 * This process may be unable to open the path. Takes over the descriptor. Returns 0 or an errno. */
int tp_spool_adopt(struct tp_spool *spool, int fd, const char *directory, const char *name, uint64_t max_bytes,
                   uint64_t ring_bytes);

/* Returns a chunk for a thread, which must then call tp_spool_prepare_chunk. The chunk is either new with `size` bytes,
 * or a full one of TP_SPOOL_FULL_CHUNK bytes whose pages are reused. Returns NULL if the disk, the quota or max_bytes
 * is used up. Takes no lock, and no thread waits for another. The caller must keep the spool open during this function
 * and all functions up to tp_spool_unmap. */
struct tp_spool_chunk *tp_spool_get_chunk(struct tp_spool *spool, uint32_t size);

/* These functions prepare chunks of a ring buffer in advance. tp_spool_map_spare_chunk returns a new chunk, or NULL if
 * the ring buffer has all its chunks or the disk is nearly full. tp_spool_touch_chunk touches its pages, and
 * tp_spool_store_spare_chunk stores it. */
struct tp_spool_chunk *tp_spool_map_spare_chunk(struct tp_spool *spool);
void tp_spool_touch_chunk(struct tp_spool_chunk *chunk);
void tp_spool_store_spare_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk);

/* Writes the header into a chunk. If the chunk is full and the spool is not a ring buffer, first copies the old content
 * to the end of the file. If the copy fails, releases the chunk with its content and returns NULL. No other thread may
 * use the chunk. */
struct tp_spool_chunk *tp_spool_prepare_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk,
                                              const struct tp_spool_chunk *header);

/* Returns a new chunk for notes, or NULL. The address of the chunk never changes. The caller has the session's lock and
 * unmaps the chunk. */
struct tp_spool_chunk *tp_spool_get_notes_chunk(struct tp_spool *spool, uint32_t size);

/* Adds a chunk that a thread no longer uses to the list of full chunks. */
void tp_spool_return_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk);

/* Unmaps a chunk that is not returned to a spool. `chunk` may be NULL. Needs no lock. */
void tp_spool_unmap(struct tp_spool_chunk *chunk);

/* Closes the file. Chunks of other threads stay mapped. is_removed: also deletes the file. */
void tp_spool_close(struct tp_spool *spool, bool is_removed);

/* Abandons the spool in the child of a fork, because the parent continues to use it. The child keeps the mappings but
 * does not write to them. */
void tp_spool_close_in_child(struct tp_spool *spool);

#endif
