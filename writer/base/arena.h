/* Memory of one job (one trace, one page): allocate, never free single items, drop the whole.
 *
 * Running out of memory: every allocation either succeeds or leaves through the arena's guard, which is the innermost
 * tp_arena_run of that arena. So code that builds tables needs no check after each allocation, and nothing half-built
 * survives: inside of tp_arena_run own nothing but arena memory (no open files, no locks, no malloc), or run the part
 * that allocates by a tp_arena_run of its own, give the rest back after it, and call tp_arena_pass_on.
 *
 *     struct tp_arena a;
 *     tp_arena_init(&a, 0);
 *     int code = tp_arena_run(&a, build, &context, err);     // what build returned, TP_ENOMEM or TP_ELIMIT
 *     tp_arena_release(&a);
 *
 * Large blocks (>= 64 KiB) can be given back early and are used again; chunks ask for huge pages.
 * One arena belongs to one thread at a time. A build for ASan gives every small item its own malloc. */
#ifndef TP_WRITER_BASE_ARENA_H
#define TP_WRITER_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

struct tp_arena_block;
struct tp_arena_free;

enum { TP_ARENA_BINS = 48 };

struct tp_arena {
    struct tp_arena_block *blocks;             /* newest first */
    struct tp_arena_block *spare;              /* chunks of the first size, cleared */
    struct tp_arena_free *bins[TP_ARENA_BINS]; /* large blocks that were given back, by size */
    char *at, *end;                            /* free part of the current chunk */
    size_t used_bytes;                         /* mapped for this arena */
    size_t max_bytes;                          /* 0: no limit */
    int code;                                  /* why the guard was taken: TP_ENOMEM or TP_ELIMIT */
    jmp_buf guard;                             /* set by the owner before the first allocation */
};

/* What tp_arena_run calls: 0 or a negative tp_status; err may be NULL. */
typedef int tp_arena_work(void *context, struct tp_error *err);

/* Makes an empty arena. max_bytes: most bytes it may hold, 0 for no limit. Allocate inside of tp_arena_run only. */
void tp_arena_init(struct tp_arena *arena, size_t max_bytes);

/* Calls work(context, err) with the guard set: an allocation that fails ends the work at once. Runs nest. Returns what
 * the work returned; or, when it was left, arena->code, with "out of memory" or "a limit was reached" in err (may be
 * NULL). */
int tp_arena_run(struct tp_arena *arena, tp_arena_work *work, void *context, struct tp_error *err);

/* As tp_arena_run, for work that allocates from both: each one's own code tells which was left. */
int tp_arena_run_both(struct tp_arena *first, struct tp_arena *second, tp_arena_work *work, void *context,
                      struct tp_error *err);

/* Leaves through the next guard when a run inside of it was left; otherwise nothing happens. For who had something to
 * give back in between. */
void tp_arena_pass_on(struct tp_arena *arena);

/* Gives everything back. Accepts a zeroed arena; usable again after tp_arena_init. */
void tp_arena_release(struct tp_arena *arena);

/* Forgets all items, as tp_arena_release does, but keeps the small chunks for the next ones; the limit stays. For work
 * that comes again and again. */
void tp_arena_clear(struct tp_arena *arena);

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

/* Leaves through the guard with `code`: for work that meets a limit. */
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
