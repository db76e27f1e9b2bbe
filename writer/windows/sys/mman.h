/* Allocates memory without files: see ../README.md. */
#ifndef TP_WRITER_WINDOWS_SYS_MMAN_H
#define TP_WRITER_WINDOWS_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10 /* mmap with this flag fails with ENOTSUP */
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MAP_FAILED ((void *)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2

/* Returns zeroed memory. Supports only MAP_PRIVATE | MAP_ANONYMOUS without a requested address. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t from);

/* Releases whole pages of a mapping, or the whole mapping. The addresses become free when all pages of the mapping are
 * released. */
int munmap(void *start, size_t size);

/* Accepts only MADV_DONTNEED, which says that the contents of the pages are no longer needed. */
int madvise(void *start, size_t size, int advice);

/* Returns MAP_FAILED, because pages cannot be moved here. */
void *mremap(void *old, size_t old_size, size_t size, int flags, ...);

#endif
