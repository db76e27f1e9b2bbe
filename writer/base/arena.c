/* Arena: chunks for small items, one mapping per large block. See arena.h for the contract. */
#include "writer/base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "writer/base/error.h"

#if defined(__SANITIZE_ADDRESS__)
#define ITEM_PER_MALLOC 1
#else
#define ITEM_PER_MALLOC 0
#endif

enum { HEADER = 64, LARGE = 256 * 1024, FIRST_CHUNK = 64 * 1024, HUGE_FROM = 4 * 1024 * 1024 };

struct tp_arena_block {
    struct tp_arena_block *next, *previous;
    size_t size; /* whole block with header */
    int is_mapped;
};

void tp_arena_init(struct tp_arena *arena, size_t max_bytes)
{
    memset(arena, 0, sizeof *arena);
    arena->max_bytes = max_bytes;
}

_Noreturn void tp_arena_fail(struct tp_arena *arena, int code)
{
    arena->code = code;
    longjmp(arena->guard, 1);
}

static void link_block(struct tp_arena *arena, struct tp_arena_block *block)
{
    block->previous = NULL;
    block->next = arena->blocks;
    if (arena->blocks)
        arena->blocks->previous = block;
    arena->blocks = block;
}

static void reserve(struct tp_arena *arena, size_t size)
{
    if (arena->max_bytes && (size > arena->max_bytes || arena->used_bytes > arena->max_bytes - size))
        tp_arena_fail(arena, TP_ELIMIT);
}

static struct tp_arena_block *new_block(struct tp_arena *arena, size_t size, int is_mapped)
{
    struct tp_arena_block *block;
    reserve(arena, size);
    if (is_mapped) {
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            block = NULL;
        else if (size >= HUGE_FROM)
            madvise(block, size, MADV_HUGEPAGE);
    } else {
        block = calloc(1, size);
    }
    if (!block)
        tp_arena_fail(arena, TP_ENOMEM);
    block->size = size;
    block->is_mapped = is_mapped;
    arena->used_bytes += size;
    link_block(arena, block);
    return block;
}

static void free_block(struct tp_arena *arena, struct tp_arena_block *block)
{
    arena->used_bytes -= block->size;
    if (block->is_mapped)
        munmap(block, block->size);
    else
        free(block);
}

void tp_arena_release(struct tp_arena *arena)
{
    struct tp_arena_block *block = arena->blocks;
    while (block) {
        struct tp_arena_block *next = block->next;
        free_block(arena, block);
        block = next;
    }
    arena->blocks = NULL;
    arena->at = arena->end = NULL;
    arena->used_bytes = 0;
}

static size_t mapped_size(size_t size)
{
    return (size + HEADER + 4095) & ~(size_t)4095;
}

void *tp_arena_alloc(struct tp_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        tp_arena_fail(arena, TP_ENOMEM);
    size = (size + 15) & ~(size_t)15;
    if (size >= LARGE)
        return (char *)new_block(arena, mapped_size(size), 1) + HEADER;
    if (ITEM_PER_MALLOC)
        return (char *)new_block(arena, size + HEADER, 0) + HEADER;
    if ((size_t)(arena->end - arena->at) < size) {
        size_t chunk = arena->used_bytes / 8; /* chunks grow with the arena: few of them, little waste */
        chunk = chunk < FIRST_CHUNK ? FIRST_CHUNK : chunk > 2 * LARGE ? 2 * LARGE : chunk;
        chunk = chunk < size + HEADER ? size + HEADER : chunk;
        struct tp_arena_block *block = new_block(arena, chunk, 0);
        arena->at = (char *)block + HEADER;
        arena->end = (char *)block + chunk;
    }
    void *item = arena->at;
    arena->at += size;
    return item;
}

void *tp_arena_array(struct tp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        tp_arena_fail(arena, TP_ENOMEM);
    return tp_arena_alloc(arena, bytes);
}

static void *remap(struct tp_arena *arena, void *old, size_t new_size)
{
    struct tp_arena_block *block = (struct tp_arena_block *)((char *)old - HEADER);
    size_t before = block->size, after = mapped_size(new_size);
    if (after == before)
        return old;
    if (after > before)
        reserve(arena, after - before);
    struct tp_arena_block *moved = mremap(block, before, after, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        tp_arena_fail(arena, TP_ENOMEM);
    if (after >= HUGE_FROM)
        madvise(moved, after, MADV_HUGEPAGE);
    moved->size = after;
    arena->used_bytes += after - before;
    if (moved->next)
        moved->next->previous = moved;
    if (moved->previous)
        moved->previous->next = moved;
    else
        arena->blocks = moved;
    return (char *)moved + HEADER;
}

void *tp_arena_resize(struct tp_arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (new_size > SIZE_MAX / 2)
        tp_arena_fail(arena, TP_ENOMEM);
    old_size = (old_size + 15) & ~(size_t)15;
    if (old && old_size >= LARGE && new_size >= LARGE)
        return remap(arena, old, (new_size + 15) & ~(size_t)15);
    void *item = tp_arena_alloc(arena, new_size);
    if (old)
        memcpy(item, old, old_size < new_size ? old_size : new_size);
    return item;
}

void tp_arena_drop(struct tp_arena *arena, void *item, size_t size)
{
    if (!item || ((size + 15) & ~(size_t)15) < LARGE)
        return;
    struct tp_arena_block *block = (struct tp_arena_block *)((char *)item - HEADER);
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous)
        block->previous->next = block->next;
    else
        arena->blocks = block->next;
    free_block(arena, block);
}

char *tp_arena_copy(struct tp_arena *arena, const void *bytes, size_t size)
{
    char *copy = tp_arena_alloc(arena, size + 1);
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void tp_vec_grow(struct tp_vec *vec, size_t count)
{
    size_t capacity = vec->capacity ? vec->capacity : 16, bytes;
    while (capacity < count)
        capacity += capacity > 1u << 20 ? capacity / 2 : capacity;
    if (__builtin_mul_overflow(capacity, vec->item_size, &bytes))
        tp_arena_fail(vec->arena, TP_ENOMEM);
    vec->data = tp_arena_resize(vec->arena, vec->data, vec->capacity * vec->item_size, bytes);
    vec->capacity = capacity;
}
