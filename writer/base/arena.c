/* Implements the arena: allocates from chunks by moving a pointer, and keeps lists of returned large blocks.
 *
 * Memory that was used before is reused before new pages are requested, because the first use of a page costs several
 * times as much as clearing a used page. After a few small chunks, chunks are aligned and request huge pages, because
 * the first use of a byte then costs only a seventh. With ASan, every item has its own malloc block instead, so that
 * overruns are detected. */
#include "writer/base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "writer/base/error.h"

#if defined(__SANITIZE_ADDRESS__)
#define ITEM_PER_MALLOC 1
#else
#define ITEM_PER_MALLOC 0
#endif

enum {
    HEADER = 64,
    PAGE = 4096,
    LARGE = 64 * 1024, /* smallest size of a block that tp_arena_free_item accepts for reuse, bytes */
    /* minimum size of a block with a header, bytes. Such a block has its own mapping unless it reuses a returned
     * block */

    BIG = 1024 * 1024,
    FIRST_CHUNK = 64 * 1024,
    SMALL_CHUNKS = 256 * 1024, /* total size up to which chunks are small, bytes */
    HUGE_PAGE = 2 * 1024 * 1024
};

/* Memory from the system: a chunk, a mapping, or (with ASan) an item. This struct is in the first bytes of that memory.
 * For the mapping of a single block, this struct is in a chunk. */
struct tp_arena_block {
    struct tp_arena_block *next, *previous;
    char *start;
    size_t size;
    int is_mapped;
};

/* Header of a block of at least BIG bytes. */
struct big_head {
    /* mapping that contains only this block; NULL if the block is a part of a returned block */
    struct tp_arena_block *mapping;
    size_t size; /* size of the block including this header, bytes */
};

/* A large block that was given back to the arena. This struct is in its first bytes. */
struct tp_arena_free {
    struct tp_arena_free *next;
    size_t size;
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

int tp_arena_run_both(struct tp_arena *first, struct tp_arena *second, tp_arena_work *work, void *context,
                      struct tp_error *err)
{
    jmp_buf outer, outer_second;
    volatile int code;
    memcpy(&outer, &first->guard, sizeof outer);
    memcpy(&outer_second, &second->guard, sizeof outer);
    if (setjmp(first->guard) == 0) {
        memcpy(&second->guard, &first->guard, sizeof outer);
        code = work(context, err);
    } else {
        code = first->code ? first->code : second->code;
        tp_error_set(err, code, 0, code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    }
    memcpy(&first->guard, &outer, sizeof outer);
    memcpy(&second->guard, &outer_second, sizeof outer);
    return code;
}

int tp_arena_run(struct tp_arena *arena, tp_arena_work *work, void *context, struct tp_error *err)
{
    return tp_arena_run_both(arena, arena, work, context, err);
}

void tp_arena_fail_with_stored_code(struct tp_arena *arena)
{
    if (arena->code)
        tp_arena_fail(arena, arena->code);
}

/* Returns the number of bytes that a block of `size` bytes takes in the arena: rounded up, plus a header for big
 * blocks. */
static size_t round_size(struct tp_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        tp_arena_fail(arena, TP_ENOMEM);
    size = (size + 15) & ~(size_t)15;
    if (size < LARGE)
        return size;
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (size < BIG)
        return size;
    return size + PAGE; /* adds a page for the header, so that a big block consists of whole pages */
}

static size_t round_up_to_huge_pages(size_t size)
{
    return (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
}

static void count_bytes_or_fail(struct tp_arena *arena, size_t size)
{
    if (arena->max_bytes && (size > arena->max_bytes || arena->used_bytes > arena->max_bytes - size))
        tp_arena_fail(arena, TP_ELIMIT);
    arena->used_bytes += size;
}

static void add_block_to_list(struct tp_arena *arena, struct tp_arena_block *block)
{
    block->previous = NULL;
    block->next = arena->blocks;
    if (arena->blocks)
        arena->blocks->previous = block;
    arena->blocks = block;
}

/* Allocates a chunk, or with ASan an item, by malloc. Its struct tp_arena_block is in its first bytes. */
static char *new_malloc_block(struct tp_arena *arena, size_t size)
{
    count_bytes_or_fail(arena, size);
    struct tp_arena_block *block = size == FIRST_CHUNK ? arena->spare : NULL;
    if (block)
        arena->spare = block->next;
    else
        block = calloc(1, size);
    if (!block)
        tp_arena_fail(arena, TP_ENOMEM);
    block->start = (char *)block;
    block->size = size;
    add_block_to_list(arena, block);
    return (char *)block + HEADER;
}

static void request_pages(const struct tp_arena *arena, char *start, size_t size)
{
    madvise(start, size, arena->avoids_huge_pages ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
}

/* Maps an address range of `size` bytes that is aligned for huge pages. The pages stay unused. Returns NULL on
 * failure. */
static char *map_address_range(const struct tp_arena *arena, size_t size, int protection)
{
    size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    char *wide = mmap(NULL, size + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (wide == MAP_FAILED)
        return NULL;
    if (!slack)
        return wide;
    char *start = (char *)(((uintptr_t)wide + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    if (start > wide)
        munmap(wide, (size_t)(start - wide));
    if (wide + slack > start)
        munmap(start + size, (size_t)(wide + slack - start));
    request_pages(arena, start, size);
    return start;
}

static void release_block(struct tp_arena_block *block)
{
    if (block->is_mapped)
        munmap(block->start, block->size);
    else
        free(block);
}

void tp_arena_release(struct tp_arena *arena)
{
    /* chunks are released last, because they contain the struct tp_arena_block of other blocks */
    for (int is_chunk = 0; is_chunk <= 1; is_chunk++) {
        struct tp_arena_block *block = arena->blocks, *kept = NULL;
        while (block) {
            struct tp_arena_block *next = block->next;
            if (((char *)block == block->start) == is_chunk) {
                release_block(block);
            } else {
                block->next = kept;
                kept = block;
            }
            block = next;
        }
        arena->blocks = kept;
    }
    while (arena->spare) {
        struct tp_arena_block *next = arena->spare->next;
        release_block(arena->spare);
        arena->spare = next;
    }
    arena->blocks = NULL;
    arena->at = arena->end = NULL;
    arena->used_bytes = 0;
    memset(arena->bins, 0, sizeof arena->bins);
}

void tp_arena_clear(struct tp_arena *arena)
{
    struct tp_arena_block *block = arena->blocks, *chunks = NULL, *others = NULL, *spare = arena->spare;
    char *at = arena->at, *end = arena->end;
    while (block) {
        struct tp_arena_block *next = block->next;
        bool is_kept = !ITEM_PER_MALLOC && !block->is_mapped && block->size == FIRST_CHUNK;
        struct tp_arena_block **list = is_kept ? &chunks : &others;
        block->next = *list;
        *list = block;
        block = next;
    }
    arena->blocks = others;
    arena->spare = NULL;
    /* must run before the chunks are cleared, because they contain the struct tp_arena_block of other blocks */
    tp_arena_release(arena);
    for (; chunks; chunks = block) {
        char *its_end = (char *)chunks + FIRST_CHUNK, *used = its_end == end ? at : its_end;
        block = chunks->next;
        memset((char *)chunks + HEADER, 0, (size_t)(used - ((char *)chunks + HEADER)));
        chunks->next = spare;
        spare = chunks;
    }
    arena->spare = spare;
    arena->code = 0;
}

/* ---- returned large blocks ---- */

static unsigned bin_of_size(size_t size)
{
    return (unsigned)(63 - __builtin_clzll(size)) % TP_ARENA_BINS;
}

static void store_returned_block(struct tp_arena *arena, char *start, size_t size)
{
    if (size < LARGE)
        return;
    struct tp_arena_free *block = (struct tp_arena_free *)(void *)start;
    block->size = size;
    block->next = arena->bins[bin_of_size(size)];
    arena->bins[bin_of_size(size)] = block;
}

/* Returns a zeroed block of `size` bytes from the lists of returned blocks; NULL if no returned block is large enough.
 * Examines the first blocks of each list, beginning with the list for this size. */
static void *reuse_returned_block(struct tp_arena *arena, size_t size)
{
    for (unsigned bin = bin_of_size(size); bin < TP_ARENA_BINS; bin++) {
        struct tp_arena_free **link = &arena->bins[bin];
        for (int tries = 0; *link && tries < 8; tries++, link = &(*link)->next) {
            struct tp_arena_free *block = *link;
            if (block->size < size)
                continue;
            *link = block->next;
            store_returned_block(arena, (char *)block + size, block->size - size);
            memset(block, 0, size);
            return block;
        }
    }
    return NULL;
}

/* ---- allocation ---- */

/* Maps a chunk. Its struct tp_arena_block is in its first bytes. */
static char *new_mapped_chunk(struct tp_arena *arena, size_t size)
{
    count_bytes_or_fail(arena, size);
    struct tp_arena_block *block =
        (struct tp_arena_block *)(void *)map_address_range(arena, size, PROT_READ | PROT_WRITE);
    if (!block)
        tp_arena_fail(arena, TP_ENOMEM);
    block->start = (char *)block;
    block->size = size;
    block->is_mapped = 1;
    add_block_to_list(arena, block);
    return (char *)block + HEADER;
}

/* Allocates a new chunk: a small one at first, later one that consists of huge pages. */
static void new_chunk(struct tp_arena *arena, size_t size)
{
    size_t chunk = arena->used_bytes < SMALL_CHUNKS ? FIRST_CHUNK : HUGE_PAGE;
    chunk = chunk < size + HEADER ? size + HEADER : chunk;
    store_returned_block(arena, arena->at, (size_t)(arena->end - arena->at));
    arena->at = arena->end = NULL; /* reset first, because the next call may jump to the guard */
    arena->at = chunk < HUGE_PAGE ? new_malloc_block(arena, chunk) : new_mapped_chunk(arena, chunk);
    arena->end = arena->at + chunk - HEADER;
}

static void *allocate_small_item(struct tp_arena *arena, size_t size)
{
    if (ITEM_PER_MALLOC)
        return new_malloc_block(arena, size + HEADER);
    void *item = size >= LARGE ? reuse_returned_block(arena, size) : NULL;
    if (item)
        return item;
    /* `at` is NULL before the first chunk, so that an item of 0 bytes needs a chunk, too */
    if ((size_t)(arena->end - arena->at) < size || !arena->at)
        new_chunk(arena, size);
    item = arena->at;
    arena->at += size;
    return item;
}

static void *allocate_big_item(struct tp_arena *arena, size_t size)
{
    struct big_head *head = reuse_returned_block(arena, size);
    if (!head) {
        struct tp_arena_block *block = allocate_small_item(arena, sizeof *block);
        size_t mapped = round_up_to_huge_pages(size);
        count_bytes_or_fail(arena, mapped);
        block->start = map_address_range(arena, mapped, PROT_READ | PROT_WRITE);
        if (!block->start)
            tp_arena_fail(arena, TP_ENOMEM);
        block->size = mapped;
        block->is_mapped = 1;
        add_block_to_list(arena, block);
        head = (struct big_head *)(void *)block->start;
        head->mapping = mapped - size < LARGE ? block : NULL;
        if (!head->mapping)
            store_returned_block(arena, block->start + size, mapped - size);
    }
    head->size = size;
    return (char *)head + HEADER;
}

static void *allocate_small_or_big(struct tp_arena *arena, size_t size)
{
    return size >= BIG && !ITEM_PER_MALLOC ? allocate_big_item(arena, size) : allocate_small_item(arena, size);
}

/* Grows a mapping in such a way that the kernel moves its pages. Returns NULL on failure, so that the caller must copy
 * the block. */
static void *grow_by_moving_pages(struct tp_arena *arena, struct big_head *head, size_t size)
{
    struct tp_arena_block *block = head->mapping;
    size = round_up_to_huge_pages(size);
    char *range = map_address_range(arena, size, PROT_NONE);
    if (!range)
        return NULL;
    count_bytes_or_fail(arena, size - block->size);
    char *moved = mremap(block->start, block->size, size, MREMAP_MAYMOVE | MREMAP_FIXED, range);
    if (moved == MAP_FAILED) {
        munmap(range, size);
        arena->used_bytes -= size - block->size;
        return NULL;
    }
    request_pages(arena, moved, size);
    block->start = moved;
    block->size = size;
    head = (struct big_head *)(void *)moved;
    head->size = size;
    return moved + HEADER;
}

void *tp_arena_alloc(struct tp_arena *arena, size_t size)
{
    return allocate_small_or_big(arena, round_size(arena, size));
}

void *tp_arena_array(struct tp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        tp_arena_fail(arena, TP_ENOMEM);
    return tp_arena_alloc(arena, bytes);
}

void *tp_arena_resize(struct tp_arena *arena, void *old, size_t old_size, size_t new_size)
{
    size_t had = round_size(arena, old_size), wanted = round_size(arena, new_size);
    if (old && !ITEM_PER_MALLOC) {
        struct big_head *head = had >= BIG ? (struct big_head *)(void *)((char *)old - HEADER) : NULL;
        if (wanted <= had)
            return old;
        if (wanted < BIG && (char *)old + had == arena->at && (size_t)(arena->end - arena->at) >= wanted - had) {
            arena->at += wanted - had; /* the last item grows without moving */
            return old;
        }
        void *moved = head && head->mapping ? grow_by_moving_pages(arena, head, wanted) : NULL;
        if (moved)
            return moved;
    }
    void *item = allocate_small_or_big(arena, wanted);
    if (old) {
        memcpy(item, old, old_size < new_size ? old_size : new_size);
        tp_arena_free_item(arena, old, old_size);
    }
    return item;
}

void tp_arena_free_item(struct tp_arena *arena, void *item, size_t size)
{
    size = round_size(arena, size);
    if (!item || size < LARGE)
        return;
    if (!ITEM_PER_MALLOC) {
        store_returned_block(arena, (char *)item - (size >= BIG ? HEADER : 0), size);
        return;
    }
    struct tp_arena_block *block = (struct tp_arena_block *)(void *)((char *)item - HEADER);
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous)
        block->previous->next = block->next;
    else
        arena->blocks = block->next;
    arena->used_bytes -= block->size;
    release_block(block);
}

void tp_arena_return_free_pages(struct tp_arena *arena)
{
    for (unsigned bin = bin_of_size(BIG / 4); bin < TP_ARENA_BINS; bin++)
        for (struct tp_arena_free *block = arena->bins[bin]; block; block = block->next) {
            uintptr_t first = ((uintptr_t)(block + 1) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
            uintptr_t end = ((uintptr_t)block + block->size) & ~(uintptr_t)(PAGE - 1);
            if (first >= end)
                continue;
            madvise((void *)first, end - first, MADV_DONTNEED);
            /* otherwise the system may later fill the range with huge pages again */
            madvise((void *)first, end - first, MADV_NOHUGEPAGE);
        }
}

char *tp_arena_copy(struct tp_arena *arena, const void *bytes, size_t size)
{
    char *copy = tp_arena_alloc(arena, size + 1);
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

void tp_vec_fit(struct tp_vec *vec)
{
    size_t had = round_size(vec->arena, vec->capacity * vec->item_size);
    size_t wanted = round_size(vec->arena, vec->count * vec->item_size);
    if (ITEM_PER_MALLOC || wanted < BIG || wanted == had)
        return;
    struct big_head *head = (struct big_head *)(void *)((char *)vec->data - HEADER);
    head->mapping = NULL; /* NULL, because the rest of the mapping now belongs to a returned block */
    head->size = wanted;
    vec->capacity = vec->count;
    store_returned_block(vec->arena, (char *)head + wanted, had - wanted);
}

void tp_vec_grow(struct tp_vec *vec, size_t count)
{
    size_t capacity = vec->capacity ? vec->capacity : 16, bytes;
    while (capacity < count)
        capacity += capacity > 1u << 20 ? capacity / 2 : capacity;
    if (__builtin_mul_overflow(capacity, vec->item_size, &bytes))
        tp_arena_fail(vec->arena, TP_ENOMEM);
    /* small vectors get the exact size; large vectors fill whole huge pages */
    if (bytes >= BIG && bytes < SIZE_MAX / 4 && !ITEM_PER_MALLOC)
        capacity = (round_up_to_huge_pages(bytes + PAGE) - PAGE) / vec->item_size;
    bytes = capacity * vec->item_size;
    vec->data = tp_arena_resize(vec->arena, vec->data, vec->capacity * vec->item_size, bytes);
    vec->capacity = capacity;
}
