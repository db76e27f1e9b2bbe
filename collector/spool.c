/* Writing side of the spool: see spool.h. */
#include "collector/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/hold.h"

/* Reserves blocks; a limit on the size of files is an error, not a signal. */
static int reserve(int fd, off_t offset, off_t size)
{
    struct tp_hold hold;
    tp_hold_begin(&hold);
    int code = posix_fallocate(fd, offset, size);
    tp_hold_end(&hold);
    return code;
}

static bool is_ours(const struct tp_spool *spool, int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_dev == spool->dev &&
           (uint64_t)status.st_ino == spool->inode;
}

/* Away from the low numbers, which shells and daemons take for themselves. */
static int move_up(int fd)
{
    int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 200) : -1;
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes, uint64_t ring_bytes)
{
    char unit[TP_SPOOL_UNIT] = {0};
    struct stat status;
    int n = snprintf(spool->path, sizeof spool->path, "%s/%s", directory, name);
    if (n < 0 || (size_t)n >= sizeof spool->path)
        return ENAMETOOLONG;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return errno;
    spool->fd = move_up(open(spool->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (spool->fd < 0)
        return errno;
    if (fstat(spool->fd, &status) != 0)
        memset(&status, 0, sizeof status);
    spool->dev = (uint64_t)status.st_dev;
    spool->inode = (uint64_t)status.st_ino;
    int code = reserve(spool->fd, 0, sizeof unit);
    flock(spool->fd, LOCK_EX | LOCK_NB); /* tells `recover` that we live; without locks it asks for our process */
    memcpy(unit, head, sizeof *head);
    if (code == 0 && pwrite(spool->fd, unit, sizeof unit, 0) != (ssize_t)sizeof unit)
        code = errno ? errno : EIO;
    if (code) {
        tp_spool_close(spool, true);
        return code;
    }
    spool->max_bytes = max_bytes;
    spool->ring = (struct tp_spool_ring){.max_bytes = ring_bytes};
    atomic_store(&spool->size, sizeof unit);
    atomic_store(&spool->failed, 0);
    return 0;
}

/* A descriptor of our own file and no other: by its path, so that no number has to be trusted; by the kept number where
 * the path cannot be had any more (chroot, other rights). -1: neither. */
static int open_own(const struct tp_spool *spool)
{
    int fd = open(spool->path, O_RDWR | O_CLOEXEC);
    if (is_ours(spool, fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return is_ours(spool, spool->fd) ? spool->fd : -1;
}

/* ---- chunks ---- */

static void begin_chunk(struct tp_spool_chunk *chunk, uint32_t size, const struct tp_spool_chunk *header)
{
    *chunk = *header;
    chunk->size = size;
    __atomic_store_n(&chunk->magic, TP_SPOOL_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

/* The oldest full chunk, emptied. Its pages are in memory already: writing to them costs no faults. */
static struct tp_spool_chunk *use_again(struct tp_spool_ring *ring)
{
    struct tp_spool_chunk *chunk = ring->oldest;
    ring->oldest = (struct tp_spool_chunk *)(uintptr_t)chunk->next;
    if (!ring->oldest)
        ring->newest = NULL;
    __atomic_store_n(&chunk->magic, 0, __ATOMIC_SEQ_CST); /* killed from here on, it is no chunk */
    memset(chunk, 0, TP_SPOOL_RING_CHUNK);
    return chunk;
}

static struct tp_spool_chunk *map_chunk(struct tp_spool *spool, uint32_t size)
{
    uint64_t offset = atomic_fetch_add(&spool->size, size);
    int fd = open_own(spool);
    int code = offset + size > spool->max_bytes ? EFBIG : fd < 0 ? EBADF : reserve(fd, (off_t)offset, size);
    void *mapped = code ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    code = code || mapped != MAP_FAILED ? code : errno;
    if (fd >= 0 && fd != spool->fd)
        close(fd);
    if (mapped != MAP_FAILED)
        return mapped;
    int none = 0;
    atomic_compare_exchange_strong(&spool->failed, &none, code);
    return NULL;
}

struct tp_spool_chunk *tp_spool_chunk(struct tp_spool *spool, uint32_t size, const struct tp_spool_chunk *header)
{
    struct tp_spool_ring *ring = &spool->ring;
    struct tp_spool_chunk *chunk = NULL;
    bool is_of_ring = ring->max_bytes && !header->is_notes;
    size = is_of_ring ? TP_SPOOL_RING_CHUNK : size;
    bool may_grow = !is_of_ring || !ring->oldest || ring->bytes + size <= ring->max_bytes;
    if (may_grow && !atomic_load_explicit(&spool->failed, memory_order_relaxed))
        chunk = map_chunk(spool, size);
    ring->bytes += chunk && is_of_ring ? size : 0;
    if (!chunk && is_of_ring && ring->oldest) /* also when no more is to be had: the ring is smaller, then */
        chunk = use_again(ring);
    if (chunk)
        begin_chunk(chunk, size, header);
    return chunk;
}

void tp_spool_return(struct tp_spool *spool, struct tp_spool_chunk *chunk)
{
    struct tp_spool_ring *ring = &spool->ring;
    if (!ring->max_bytes) {
        munmap(chunk, chunk->size);
        return;
    }
    chunk->next = 0;
    if (ring->newest)
        ring->newest->next = (uint64_t)(uintptr_t)chunk;
    else
        ring->oldest = chunk;
    ring->newest = chunk;
}

void tp_spool_close(struct tp_spool *spool, bool is_removed)
{
    if (spool->fd < 0)
        return;
    if (is_ours(spool, spool->fd))
        close(spool->fd);
    spool->fd = -1;
    while (spool->ring.oldest) {
        struct tp_spool_chunk *chunk = spool->ring.oldest;
        spool->ring.oldest = (struct tp_spool_chunk *)(uintptr_t)chunk->next;
        munmap(chunk, chunk->size);
    }
    if (is_removed)
        unlink(spool->path);
}
