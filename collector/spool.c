/* Writes spool files: see spool.h. */
#include "collector/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/file_size_signal.h"
#include "writer/base/fs.h"
#include "writer/base/mapped.h"
#include "writer/spool/spool_file.h"

/* Reserves disk blocks. If the file would exceed the limit on file sizes, returns an error instead of raising a
 * signal. */
static int reserve_blocks(int fd, off_t offset, off_t size)
{
    struct tp_file_size_signal hold;
    tp_file_size_signal_block(&hold);
    int code = posix_fallocate(fd, offset, size);
    tp_file_size_signal_unblock(&hold);
    return code;
}

static bool is_spool_file(const struct tp_spool *spool, int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_dev == spool->dev &&
           (uint64_t)status.st_ino == spool->inode;
}

/* Moves a descriptor away from the low numbers, which shells and daemons use for themselves. */
static int move_descriptor_to_high_number(int fd)
{
    int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 200) : -1;
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

/* Initializes *spool with a file that already contains the spool's head. */
static void init_spool(struct tp_spool *spool, int fd, uint64_t max_bytes, uint64_t ring_bytes)
{
    struct stat status;
    spool->fd = move_descriptor_to_high_number(fd);
    if (fstat(spool->fd, &status) != 0)
        memset(&status, 0, sizeof status);
    spool->dev = (uint64_t)status.st_dev;
    spool->inode = (uint64_t)status.st_ino;
    spool->spare = (struct tp_spool_spare){.ring_bytes = ring_bytes};
    spool->max_bytes = max_bytes;
    spool->cuts = tp_mapped_cut_count();
    atomic_store(&spool->size, TP_SPOOL_UNIT);
    atomic_store(&spool->written, TP_SPOOL_UNIT);
    atomic_store(&spool->failed, 0);
}

static int set_path(struct tp_spool *spool, const char *directory, const char *name)
{
    int n = snprintf(spool->path, sizeof spool->path, "%s/%s", directory, name);
    return n < 0 || (size_t)n >= sizeof spool->path ? ENAMETOOLONG : 0;
}

int tp_spool_create(struct tp_spool *spool, const char *directory, const char *name, const struct tp_spool_head *head,
                    uint64_t max_bytes, uint64_t ring_bytes)
{
    struct tp_file_size_signal hold;
    int code = set_path(spool, directory, name);
    int folder = code ? -1 : open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (code)
        return code;
    if (folder < 0 && errno == ENOENT && tp_folder_make(directory, NULL) == 0)
        folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return errno;
    tp_file_size_signal_block(&hold);
    int fd = tp_spool_file_make(folder, name, head);
    tp_file_size_signal_unblock(&hold);
    close(folder);
    if (fd < 0)
        return -fd;
    init_spool(spool, fd, max_bytes, ring_bytes);
    return 0;
}

int tp_spool_adopt(struct tp_spool *spool, int fd, const char *directory, const char *name, uint64_t max_bytes,
                   uint64_t ring_bytes)
{
    int code = set_path(spool, directory, name);
    if (code)
        close(fd);
    else
        init_spool(spool, fd, max_bytes, ring_bytes);
    return code;
}

/* Returns a descriptor that certainly belongs to the spool's file, or -1. Opens the file by its path, because the
 * program may have reused the number of the stored descriptor. If the path is no longer accessible (chroot, other
 * rights), tests the stored descriptor. */
static int open_spool_file(const struct tp_spool *spool)
{
    int fd = open(spool->path, O_RDWR | O_CLOEXEC);
    if (is_spool_file(spool, fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return is_spool_file(spool, spool->fd) ? spool->fd : -1;
}

static void close_spool_file(const struct tp_spool *spool, int fd)
{
    if (fd >= 0 && fd != spool->fd)
        close(fd);
}

/* ---- chunks ---- */

static void raise_written_file_size(struct tp_spool *spool, uint64_t end)
{
    uint64_t before = atomic_load(&spool->written);
    while (before < end && !atomic_compare_exchange_weak(&spool->written, &before, end))
        ;
}

/* Returns an errno if the file has become shorter. Later chunks would make it longer again and leave a hole. */
static int check_length(const struct tp_spool *spool, int fd)
{
    struct stat status;
    uint64_t least = atomic_load(&spool->written);
    if (fd < 0 || fstat(fd, &status) != 0)
        return EBADF;
    return (uint64_t)status.st_size < least ? EIO : 0;
}

/* Returns whether a mapped chunk has lost its pages since the spool was created, so that the file is damaged. */
static bool is_cut(const struct tp_spool *spool)
{
    return tp_mapped_cut_count() != spool->cuts;
}

void tp_spool_unmap(struct tp_spool_chunk *chunk)
{
    if (chunk)
        tp_mapped_remove(chunk, chunk->size);
}

static void store_first_failure(struct tp_spool *spool, int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&spool->failed, &none, code);
}

static struct tp_spool_chunk *map_chunk(struct tp_spool *spool, uint32_t size)
{
    if (atomic_load_explicit(&spool->failed, memory_order_relaxed))
        return NULL;
    uint64_t offset = atomic_fetch_add(&spool->size, size);
    int fd = open_spool_file(spool);
    int code = offset + size > spool->max_bytes ? EFBIG : check_length(spool, fd);
    code = code ? code : reserve_blocks(fd, (off_t)offset, size);
    struct tp_spool_chunk *chunk =
        code ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    code = code || chunk != MAP_FAILED ? code : errno;
    close_spool_file(spool, fd);
    if (code) {
        store_first_failure(spool, code);
        return NULL;
    }
    raise_written_file_size(spool, offset + size);
    tp_mapped_add(chunk, size);
    chunk->size = size; /* stored before the magic number, so that readers ignore the chunk until it is ready */
    return chunk;
}

/* Locks the list of spare chunks. Returns false if the lock is not released soon. This happens if the owner of the lock
 * gets no CPU time, or if this call runs in a signal handler that interrupted the owner. */
static bool hold(struct tp_spool_spare *spare)
{
    enum { TRIES = 64 };
    for (int i = 0; i < TRIES; i++) {
        if (!atomic_exchange(&spare->is_held, true))
            return true;
        if (i > TRIES / 2)
            sched_yield();
    }
    return false;
}

static void unlock_spares(struct tp_spool_spare *spare)
{
    atomic_store(&spare->is_held, false);
}

static struct tp_spool_chunk *pop_spare(struct tp_spool_spare *spare)
{
    struct tp_spool_chunk *chunk = spare->oldest;
    spare->oldest = (struct tp_spool_chunk *)(uintptr_t)chunk->next;
    if (!spare->oldest)
        spare->newest = NULL;
    return chunk;
}

/* Returns a spare chunk to reuse. Returns NULL if the caller must map a new chunk, after adding `size` to the bytes of
 * all chunks. */
static struct tp_spool_chunk *pop_spare_or_count(struct tp_spool_spare *spare, uint32_t size)
{
    bool is_ring = spare->ring_bytes != 0, uses_spare = spare->oldest && size == TP_SPOOL_FULL_CHUNK;
    /* true if the chunk was prepared in advance and never used */
    bool is_new = uses_spare && spare->oldest->magic != TP_SPOOL_CHUNK_MAGIC;
    if (uses_spare && (!is_ring || is_new || atomic_load(&spare->bytes) + size > spare->ring_bytes))
        return pop_spare(spare);
    atomic_fetch_add(&spare->bytes, size);
    return NULL;
}

/* Returns a full chunk of a ring buffer if no new chunk can be mapped. The ring buffer then has fewer chunks. Returns
 * NULL if there is no full chunk. */
static struct tp_spool_chunk *pop_full_chunk(struct tp_spool_spare *spare, uint32_t size)
{
    struct tp_spool_chunk *chunk = NULL;
    atomic_fetch_sub(&spare->bytes, size);
    if (spare->ring_bytes && hold(spare)) {
        chunk = spare->oldest ? pop_spare(spare) : NULL;
        unlock_spares(spare);
    }
    return chunk;
}

struct tp_spool_chunk *tp_spool_get_chunk(struct tp_spool *spool, uint32_t size)
{
    struct tp_spool_spare *spare = &spool->spare;
    struct tp_spool_chunk *chunk = NULL;
    if (is_cut(spool)) {
        store_first_failure(spool, EIO);
        return NULL;
    }
    size = spare->ring_bytes || size > TP_SPOOL_FULL_CHUNK ? TP_SPOOL_FULL_CHUNK : size;
    if (hold(spare)) {
        chunk = pop_spare_or_count(spare, size);
        unlock_spares(spare);
    } else if (spare->ring_bytes) {
        return NULL;
    } else {
        atomic_fetch_add(&spare->bytes, size);
    }
    chunk = chunk ? chunk : map_chunk(spool, size);
    return chunk ? chunk : pop_full_chunk(spare, size);
}

/* Returns whether the disk has enough free space to prepare chunks that may never be needed. Otherwise such chunks
 * could take space that names or the program's files need later. */
static bool has_room_for_spares(const struct tp_spool *spool)
{
    enum { LEFT_FREE = 64 << 20 };
    struct statvfs disk;
    uint64_t wanted = spool->spare.ring_bytes - atomic_load(&spool->spare.bytes) + LEFT_FREE;
    return is_spool_file(spool, spool->fd) && spool->spare.ring_bytes < spool->max_bytes / 2 &&
           fstatvfs(spool->fd, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize >= wanted;
}

struct tp_spool_chunk *tp_spool_map_spare_chunk(struct tp_spool *spool)
{
    struct tp_spool_spare *spare = &spool->spare;
    uint64_t bytes = atomic_fetch_add(&spare->bytes, TP_SPOOL_FULL_CHUNK);
    bool has_room = !is_cut(spool) && bytes + TP_SPOOL_FULL_CHUNK <= spare->ring_bytes && has_room_for_spares(spool);
    struct tp_spool_chunk *chunk = has_room ? map_chunk(spool, TP_SPOOL_FULL_CHUNK) : NULL;
    if (!chunk)
        atomic_fetch_sub(&spare->bytes, TP_SPOOL_FULL_CHUNK);
    return chunk;
}

void tp_spool_touch_chunk(struct tp_spool_chunk *chunk)
{
    /* MADV_POPULATE_WRITE (Linux 5.14), which older headers do not define */
    enum { POPULATE_WRITE = 23 };
    if (madvise(chunk, chunk->size, POPULATE_WRITE) == 0)
        return;
    for (size_t at = TP_SPOOL_UNIT; at < chunk->size; at += TP_SPOOL_UNIT)
        ((volatile char *)chunk)[at] = 0;
}

static void unmap_spare_chunk(struct tp_spool_spare *spare, struct tp_spool_chunk *chunk)
{
    atomic_fetch_sub(&spare->bytes, chunk->size);
    tp_spool_unmap(chunk);
}

/* Puts a new chunk before the full ones, so that the new chunk is used first. */
void tp_spool_store_spare_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk)
{
    struct tp_spool_spare *spare = &spool->spare;
    if (!hold(spare)) {
        unmap_spare_chunk(spare, chunk);
        return;
    }
    chunk->next = (uint64_t)(uintptr_t)spare->oldest;
    spare->oldest = chunk;
    if (!spare->newest)
        spare->newest = chunk;
    unlock_spares(spare);
}

static int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t n = pwrite(fd, bytes, size, (off_t)offset);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n < 0 ? errno : EIO;
        if (n > 0) {
            bytes = (const char *)bytes + n;
            size -= (size_t)n;
            offset += (uint64_t)n;
        }
    }
    return 0;
}

/* Copies a full chunk to the end of the file. Writes the magic number last, so that readers ignore a partial copy.
 * Until the original is cleared, the file contains the chunk twice; the reader handles this. */
static int copy_chunk_to_file_end(struct tp_spool *spool, const struct tp_spool_chunk *chunk)
{
    struct tp_file_size_signal hold;
    const size_t magic = sizeof chunk->magic;
    uint64_t offset = atomic_fetch_add(&spool->size, chunk->size);
    if (offset + chunk->size > spool->max_bytes)
        return EFBIG;
    int fd = open_spool_file(spool), code = check_length(spool, fd);
    if (code) {
        close_spool_file(spool, fd);
        return code;
    }
    tp_file_size_signal_block(&hold);
    code = write_at(fd, (const char *)chunk + magic, chunk->size - magic, offset + magic);
    if (code == 0)
        code = write_at(fd, chunk, magic, offset);
    tp_file_size_signal_unblock(&hold);
    if (code == 0)
        raise_written_file_size(spool, offset + chunk->size);
    close_spool_file(spool, fd);
    return code;
}

struct tp_spool_chunk *tp_spool_prepare_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk,
                                              const struct tp_spool_chunk *header)
{
    uint32_t size = chunk->size;
    bool is_full = chunk->magic == TP_SPOOL_CHUNK_MAGIC;
    int code = is_full && !spool->spare.ring_bytes ? copy_chunk_to_file_end(spool, chunk) : 0;
    code = code || !is_cut(spool) ? code : EIO;
    if (code) {
        store_first_failure(spool, code);
        tp_spool_unmap(chunk);
        return NULL;
    }
    if (is_full) {
        /* makes readers ignore the chunk, even if the process is killed before the chunk has its new header */
        __atomic_store_n(&chunk->magic, 0, __ATOMIC_SEQ_CST);
        memset(chunk, 0, size);
    }
    *chunk = *header;
    chunk->size = size;
    __atomic_store_n(&chunk->magic, TP_SPOOL_CHUNK_MAGIC, __ATOMIC_RELEASE);
    return chunk;
}

struct tp_spool_chunk *tp_spool_get_notes_chunk(struct tp_spool *spool, uint32_t size)
{
    const struct tp_spool_chunk header = {.is_notes = 1};
    struct tp_spool_chunk *chunk = map_chunk(spool, size);
    return chunk ? tp_spool_prepare_chunk(spool, chunk, &header) : NULL;
}

void tp_spool_return_chunk(struct tp_spool *spool, struct tp_spool_chunk *chunk)
{
    struct tp_spool_spare *spare = &spool->spare;
    if (chunk->size != TP_SPOOL_FULL_CHUNK || !hold(spare)) {
        unmap_spare_chunk(spare, chunk);
        return;
    }
    chunk->next = 0;
    if (spare->newest)
        spare->newest->next = (uint64_t)(uintptr_t)chunk;
    else
        spare->oldest = chunk;
    spare->newest = chunk;
    unlock_spares(spare);
}

static void close_file(struct tp_spool *spool)
{
    if (is_spool_file(spool, spool->fd))
        close(spool->fd);
    spool->fd = -1;
}

void tp_spool_close_in_child(struct tp_spool *spool)
{
    close_file(spool);
    spool->spare = (struct tp_spool_spare){.ring_bytes = spool->spare.ring_bytes};
}

void tp_spool_close(struct tp_spool *spool, bool is_removed)
{
    if (spool->fd < 0)
        return;
    close_file(spool);
    while (spool->spare.oldest)
        tp_spool_unmap(pop_spare(&spool->spare));
    if (is_removed)
        unlink(spool->path);
}
