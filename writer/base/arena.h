/* Memory of one job (one trace, one page): allocate, never free single items, drop the whole.
 *
 * Running out of memory: every allocation either succeeds or leaves through the arena's guard, a longjmp to the place
 * that started the job. So code that builds tables needs no check after each allocation, and nothing half-built
 * survives: inside a guarded section own nothing but arena memory (no open files, no locks, no malloc).
 *
 *     struct tp_arena a;
 *     tp_arena_init(&a, 0);
 *     if (setjmp(a.guard)) { tp_arena_release(&a); return TP_ENOMEM; }     // a.code says TP_ENOMEM or TP_ELIMIT
 *     ... build ...
 *     tp_arena_release(&a);
 *
 * Large blocks (>= 64 KiB) can be given back early and are used again; chunks ask for huge pages.
 * One arena belongs to one thread at a time. A build for ASan gives every small item its own malloc. */
#ifndef TP_WRITER_BASE_ARENA_H
#define TP_WRITER_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct tp_arena_block;
struct tp_arena_free;

enum { TP_ARENA_BINS = 48 };

struct tp_arena {
    struct tp_arena_block *blocks;             /* newest first */
    struct tp_arena_free *bins[TP_ARENA_BINS]; /* large blocks that were given back, by size */
    char *at, *end;                            /* free part of the current chunk */
    size_t used_bytes;                         /* mapped for this arena */
    size_t max_bytes;                          /* 0: no limit */
    int code;                                  /* why the guard was taken: TP_ENOMEM or TP_ELIMIT */
    jmp_buf guard;                             /* set by the owner before the first allocation */
};

/* Makes an empty arena. max_bytes: most bytes it may hold, 0 for no limit. The owner must setjmp(arena->guard) next. */
void tp_arena_init(struct tp_arena *arena, size_t max_bytes);

/* Gives everything back. Accepts a zeroed arena; usable again after tp_arena_init. */
void tp_arena_release(struct tp_arena *arena);

/* `size` zeroed bytes, 16-byte aligned, valid until the arena is released (or rewound). Does not return on failure. */
void *tp_arena_alloc(struct tp_arena *arena, size_t size);

/* As tp_arena_alloc for count items of size bytes; the product is checked. */
void *tp_arena_array(struct tp_arena *arena, size_t count, size_t size);

/* Grows or shrinks a block got from this arena; new bytes are zero (for blocks that were never shrunk). old may be
 * NULL. */
void *tp_arena_resize(struct tp_arena *arena, void *old, size_t old_size, size_t new_size);

/* Returns one large block early (no effect on small ones). */
void tp_arena_drop(struct tp_arena *arena, void *item, size_t size);

/* Lets the system have the pages of all blocks that were given back; they stay usable. For the end of a phase. */
void tp_arena_trim(struct tp_arena *arena);

/* A NUL-terminated copy of `size` bytes. */
char *tp_arena_copy(struct tp_arena *arena, const void *bytes, size_t size);

/* Leaves through the guard with `code`: for code inside a guarded section that meets a limit. */
_Noreturn void tp_arena_fail(struct tp_arena *arena, int code);

/* A growable array of items in an arena. Zero-initialise, set `arena` and `item_size`. */
struct tp_vec {
    struct tp_arena *arena;
    void *data;
    size_t count, capacity, item_size;
};

#define TP_VEC(arena_, type) ((struct tp_vec){.arena = (arena_), .item_size = sizeof(type)})
#define TP_AT(vec_, type, i) (((type *)(vec_)->data) + (i))

void tp_vec_grow(struct tp_vec *vec, size_t count);

/* Gives back what a large vector holds beyond its items; it may still grow. For vectors that stay. */
void tp_vec_fit(struct tp_vec *vec);

/* Address of a new last item; its bytes are zero unless the vector was truncated before. */
static inline void *tp_vec_push(struct tp_vec *vec)
{
    if (__builtin_expect(vec->count == vec->capacity, 0))
        tp_vec_grow(vec, vec->count + 1);
    return (char *)vec->data + vec->item_size * vec->count++;
}

#endif
