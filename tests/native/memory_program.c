/* memory_program [MEGABYTES [THREADS]]: allocates and frees memory with every function of the malloc family, also on
 * threads, and sums malloc_usable_size of its blocks. Prints the peak of that sum in bytes and the number of allocating
 * calls. Other threads are idle when the peak is reached, so that it is exact. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 9, SMALL = 20000 };

static _Atomic long held, peak, calls;

static void *took(void *block)
{
    if (!block)
        exit(2);
    long now = atomic_fetch_add(&held, (long)malloc_usable_size(block)) + (long)malloc_usable_size(block);
    long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        ;
    calls++;
    return block;
}

static void give(void *block)
{
    atomic_fetch_sub(&held, block ? (long)malloc_usable_size(block) : 0);
    free(block);
}

static void *grow(void *block, size_t size)
{
    long before = (long)malloc_usable_size(block);
    void *moved = realloc(block, size);
    if (!moved)
        exit(2);
    atomic_fetch_sub(&held, before);
    return took(moved);
}

static void *take(int kind, size_t size)
{
    void *block = NULL;
    switch (kind) {
    case 0:
        return took(malloc(size));
    case 1:
        return took(calloc(size / 8, 8));
    case 2:
        return took(aligned_alloc(64, (size + 63) / 64 * 64));
    case 3:
        return took(posix_memalign(&block, 4096, size) == 0 ? block : NULL);
    case 4:
        return took(memalign(256, size));
    case 5:
        return took(valloc(size));
    case 6:
        return took(pvalloc(size));
    case 7:
        return took(reallocarray(NULL, size / 8, 8));
    default:
        return grow(took(malloc(size / 2)), size);
    }
}

/* Allocates many small blocks, each slightly larger than the previous one, and frees all of them. */
static void *allocate_small_blocks(void *unused)
{
    static _Thread_local void *blocks[SMALL];
    for (int i = 0; i < SMALL; i++)
        blocks[i] = took(malloc((size_t)(16 + i % 500)));
    for (int i = 0; i < SMALL; i++)
        give(blocks[i]);
    return unused;
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? (size_t)atol(argv[1]) : 4;
    int threads = argc > 2 ? atoi(argv[2]) : 2;
    void *blocks[KINDS];
    pthread_t ids[64];
    for (int i = 0; i < threads && i < 64; i++)
        pthread_create(&ids[i], NULL, allocate_small_blocks, NULL);
    for (int i = 0; i < threads && i < 64; i++)
        pthread_join(ids[i], NULL);
    for (int kind = 0; kind < KINDS; kind++)
        blocks[kind] = take(kind, (megabytes << 20) + (size_t)kind * 8);
    allocate_small_blocks(NULL);
    for (int kind = 0; kind < KINDS; kind++)
        give(blocks[kind]);
    free(NULL);
    volatile size_t most = (size_t)-1;
    if (reallocarray(NULL, most, 2) != NULL || held != 0)
        return 1;
    printf("%ld %ld\n", peak, calls);
    return 0;
}
