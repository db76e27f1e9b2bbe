/* Replaces mremap and MADV_HUGEPAGE: see ../README.md. */
#ifndef TP_WRITER_MACOS_SYS_MMAN_H
#define TP_WRITER_MACOS_SYS_MMAN_H

#include_next <sys/mman.h>

#define MADV_HUGEPAGE MADV_NORMAL /* the system has no advice for large pages */
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2

/* Returns MAP_FAILED, because macOS cannot move pages. The caller then copies the memory. */
static inline void *mremap(void *old, size_t old_size, size_t size, int flags, void *at)
{
    (void)old, (void)old_size, (void)size, (void)flags, (void)at;
    return MAP_FAILED;
}

#endif
