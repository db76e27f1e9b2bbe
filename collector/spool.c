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
                    uint64_t max_bytes)
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

struct tp_spool_chunk *tp_spool_chunk(struct tp_spool *spool, uint32_t size, const struct tp_spool_chunk *header)
{
    if (atomic_load_explicit(&spool->failed, memory_order_relaxed))
        return NULL;
    uint64_t offset = atomic_fetch_add(&spool->size, size);
    int fd = open_own(spool);
    int code = offset + size > spool->max_bytes ? EFBIG : fd < 0 ? EBADF : reserve(fd, (off_t)offset, size);
    void *mapped = code ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    code = code || mapped != MAP_FAILED ? code : errno;
    if (fd >= 0 && fd != spool->fd)
        close(fd);
    if (mapped == MAP_FAILED) {
        int none = 0;
        atomic_compare_exchange_strong(&spool->failed, &none, code);
        return NULL;
    }
    struct tp_spool_chunk *chunk = mapped;
    *chunk = *header;
    chunk->size = size;
    atomic_thread_fence(memory_order_release);
    chunk->magic = TP_SPOOL_CHUNK_MAGIC;
    return chunk;
}

void tp_spool_close(struct tp_spool *spool, bool is_removed)
{
    if (spool->fd < 0)
        return;
    if (is_ours(spool, spool->fd))
        close(spool->fd);
    spool->fd = -1;
    if (is_removed)
        unlink(spool->path);
}
