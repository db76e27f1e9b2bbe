/* Memory of the system, without files: see ../README.md. */
#ifndef TP_WRITER_WINDOWS_SYS_MMAN_H
#define TP_WRITER_WINDOWS_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10 /* ENOTSUP */
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MAP_FAILED ((void *)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2

/* Memory of zeros. Only MAP_PRIVATE | MAP_ANONYMOUS, at no address that was asked for. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t from);

/* Gives back whole pages, all of one mmap or a part. The addresses are free when nothing of the mmap is left. */
int munmap(void *start, size_t size);

/* MADV_DONTNEED: what is in the pages is of no use any more; it may stay. */
int madvise(void *start, size_t size, int advice);

/* MAP_FAILED: pages cannot be moved here. */
void *mremap(void *old, size_t old_size, size_t size, int flags, ...);

#endif
