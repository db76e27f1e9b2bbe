/* Implements mmap for memory without files: see sys/mman.h. */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "writer/windows/system.h"

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t from)
{
    (void)fd, (void)from;
    if (at || flags & MAP_FIXED || !(flags & MAP_ANONYMOUS)) {
        errno = ENOTSUP;
        return MAP_FAILED;
    }
    bool is_used = protection != PROT_NONE;
    void *start = VirtualAlloc(NULL, size, is_used ? MEM_RESERVE | MEM_COMMIT : MEM_RESERVE,
                               is_used ? PAGE_READWRITE : PAGE_NOACCESS);
    if (start)
        return start;
    errno = ENOMEM;
    return MAP_FAILED;
}

/* Returns whether any page of an allocation is still in use. */
static bool is_any_page_in_use(const char *base)
{
    MEMORY_BASIC_INFORMATION part;
    for (const char *at = base; VirtualQuery(at, &part, sizeof part); at += part.RegionSize) {
        if (part.AllocationBase != base)
            return false;
        if (part.State == MEM_COMMIT)
            return true;
    }
    return false;
}

int munmap(void *start, size_t size)
{
    MEMORY_BASIC_INFORMATION part;
    if (!VirtualQuery(start, &part, sizeof part) || !VirtualFree(start, size, MEM_DECOMMIT)) {
        errno = EINVAL;
        return -1;
    }
    if (!is_any_page_in_use(part.AllocationBase))
        VirtualFree(part.AllocationBase, 0, MEM_RELEASE);
    return 0;
}

int madvise(void *start, size_t size, int advice)
{
    if (advice == MADV_DONTNEED)
        VirtualAlloc(start, size, MEM_RESET, PAGE_READWRITE);
    return 0;
}

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    (void)old, (void)old_size, (void)size, (void)flags;
    errno = ENOSYS;
    return MAP_FAILED;
}
