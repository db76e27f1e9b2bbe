/* Stable merge sorts that need one pass for sorted input, and at most n log n steps for any input. Unlike qsort, they
 * never call malloc. */
#ifndef TP_WRITER_BASE_SORT_H
#define TP_WRITER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* Returns a negative number, 0 or a positive number if x comes before y, equals y, or comes after y. */
typedef int (*tp_compare)(const void *x, const void *y, const void *context);

/* Sorts `count` items of `size` bytes in place; scratch memory comes from the arena. */
void tp_merge_sort(struct tp_arena *arena, void *items, size_t count, size_t size, tp_compare compare,
                   const void *context);

/* An item that is sorted by `key`, and by `tie` if keys are equal. */
struct tp_keyed {
    int64_t key;
    uint32_t tie, item;
};

void tp_sort_keyed(struct tp_keyed *items, size_t count, struct tp_arena *arena);

/* Returns a negative number, 0 or a positive number if row x comes before y, equals y, or comes after y. */
typedef int (*tp_row_order)(const void *context, uint32_t x, uint32_t y);

/* Sorts `count` row numbers in place by `order`; scratch memory comes from the arena. */
void tp_sort_rows(uint32_t *rows, size_t count, tp_row_order order, const void *context, struct tp_arena *arena);

#endif
