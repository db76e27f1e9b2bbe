/* Preloaded without the recorder, adds up malloc_usable_size of all blocks and prints the peak. Calls glibc's allocator
 * by its second names (__libc_malloc). It shares no code with the recorder whose results it checks. */
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);
int posix_memalign(void **out, size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);

static long held, peak;

static void *took(void *block)
{
    if (block) {
        long size = (long)malloc_usable_size(block), now = __atomic_add_fetch(&held, size, __ATOMIC_SEQ_CST);
        peak = now > peak ? now : peak; /* not atomic, because the programs have only one thread */
    }
    return block;
}

static void gave(void *block)
{
    if (block)
        __atomic_sub_fetch(&held, (long)malloc_usable_size(block), __ATOMIC_SEQ_CST);
}

void *malloc(size_t size)
{
    return took(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return took(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    gave(block);
    return took(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return took(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = took(__libc_memalign(alignment, size));
    return *out ? 0 : 12; /* ENOMEM is 12 */
}

void free(void *block)
{
    gave(block);
    __libc_free(block);
}

__attribute__((destructor)) static void tell(void)
{
    dprintf(STDERR_FILENO, "peak %ld\n", peak);
}
