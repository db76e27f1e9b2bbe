/* Allocates memory for one job (one trace, one page). Single items are never freed; the whole arena is released in one
 * call.
 *
 * Out of memory: every allocation either succeeds or jumps to the arena's guard, which is the innermost tp_arena_run of
 * that arena. So code that builds tables needs no check after each allocation. Inside tp_arena_run, code must own only
 * arena memory: open files, locks or malloc blocks would leak after a jump. Code that needs such resources runs its
 * allocating part in a nested tp_arena_run, releases the resources afterwards, and calls
 * tp_arena_fail_with_stored_code.
 *
 *     struct tp_arena a;
 *     tp_arena_init(&a, 0);
 *     int code = tp_arena_run(&a, build, &context, err);     // the result of build, TP_ENOMEM or TP_ELIMIT
 *     tp_arena_release(&a);
 *
 * Large blocks (>= 64 KiB) can be given back to the arena before its release, and are reused. Chunks request huge
 * pages, unless avoids_huge_pages is set. Two threads must not use an arena at the same time. With ASan every small
 * item has its own malloc block. */
#ifndef TP_WRITER_BASE_ARENA_H
#define TP_WRITER_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

struct tp_arena_block;
struct tp_arena_free;

enum { TP_ARENA_BINS = 48 };

struct tp_arena {
    struct tp_arena_block *blocks;             /* all blocks of the arena, newest first */
    struct tp_arena_block *spare;              /* cleared small chunks, reused after tp_arena_clear */
    struct tp_arena_free *bins[TP_ARENA_BINS]; /* for each size class: list of the blocks that were given back */
    char *at, *end;                            /* free part of the current chunk */
    size_t used_bytes;                         /* bytes of all blocks of the arena */
    size_t max_bytes;                          /* maximum of used_bytes; 0: no limit */
    /* true: mappings use small pages, so that their unused ends take no memory. Set it after tp_arena_init; it affects
     * later mappings only */
    bool avoids_huge_pages;
    int code;      /* reason why the last allocation failed: TP_ENOMEM or TP_ELIMIT */
    jmp_buf guard; /* jump target after a failed allocation, set by tp_arena_run */
};

/* The work: a function that tp_arena_run calls. Returns 0 or a negative tp_status. err may be NULL. */
typedef int tp_arena_work(void *context, struct tp_error *err);

/* Initializes an empty arena. max_bytes: largest number of bytes that the arena may use, or 0 for no limit. Allocate
 * only inside tp_arena_run. */
void tp_arena_init(struct tp_arena *arena, size_t max_bytes);

/* Calls work(context, err) with the guard set, so that a failed allocation ends the work immediately. Calls may be
 * nested. Returns the result of the work. After a failed allocation, returns arena->code, with "out of memory" or "a
 * limit was reached" in err (may be NULL). */
int tp_arena_run(struct tp_arena *arena, tp_arena_work *work, void *context, struct tp_error *err);

/* Does the same as tp_arena_run for work that allocates from two arenas. Afterwards, `code` of each arena shows whether
 * this arena failed. */
int tp_arena_run_both(struct tp_arena *first, struct tp_arena *second, tp_arena_work *work, void *context,
                      struct tp_error *err);

/* Jumps to the outer guard if an allocation inside a nested tp_arena_run failed; otherwise does nothing. The caller
 * first releases its files and locks. */
void tp_arena_fail_with_stored_code(struct tp_arena *arena);

/* Releases all memory. Accepts a zeroed arena. The arena is usable again after tp_arena_init. */
void tp_arena_release(struct tp_arena *arena);

/* Removes all items but keeps the small chunks for new items, so that repeated work needs less memory from the system.
 * max_bytes is unchanged. */
void tp_arena_clear(struct tp_arena *arena);

/* Returns `size` zeroed bytes, 16-byte aligned, valid until the arena is released or cleared. A failure jumps to the
 * guard. */
void *tp_arena_alloc(struct tp_arena *arena, size_t size);

/* Returns an array of `count` zeroed items of `size` bytes each. Jumps to the guard if count * size overflows. */
void *tp_arena_array(struct tp_arena *arena, size_t count, size_t size);

/* Grows or shrinks a block of this arena; new bytes are zero (unless the block was shrunk before). old may be NULL. */
void *tp_arena_resize(struct tp_arena *arena, void *old, size_t old_size, size_t new_size);

/* Gives one large block back to the arena for reuse by later allocations. Has no effect for small blocks. */
void tp_arena_free_item(struct tp_arena *arena, void *item, size_t size);

/* Gives the pages of all blocks in `bins` back to the system. The address ranges can still be reused. Called at the end
 * of a phase. */
void tp_arena_return_free_pages(struct tp_arena *arena);

/* Returns a NUL-terminated copy of `size` bytes. */
char *tp_arena_copy(struct tp_arena *arena, const void *bytes, size_t size);

/* Jumps to the guard with `code`, a negative tp_status. For code that exceeds a limit. */
_Noreturn void tp_arena_fail(struct tp_arena *arena, int code);

/* A growable array of items in an arena. Zero-initialize it and set `arena` and `item_size`. */
struct tp_vec {
    struct tp_arena *arena;
    void *data;
    size_t count, capacity, item_size;
};

#define TP_VEC(arena_, type) ((struct tp_vec){.arena = (arena_), .item_size = sizeof(type)})
#define TP_AT(vec_, type, i) (((type *)(vec_)->data) + (i))

void tp_vec_grow(struct tp_vec *vec, size_t count);

/* Gives the unused memory of a large vector back to the arena. The vector may still grow. For vectors that live
 * long. */
void tp_vec_fit(struct tp_vec *vec);

/* Returns the address of a new last item. Its bytes are zero unless the vector was truncated before. */
static inline void *tp_vec_push(struct tp_vec *vec)
{
    if (__builtin_expect(vec->count == vec->capacity, 0))
        tp_vec_grow(vec, vec->count + 1);
    return (char *)vec->data + vec->item_size * vec->count++;
}

#endif
