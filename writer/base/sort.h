/* Stable merge sorts that are one pass over sorted input and never worse than n log n, whatever a trace holds. */
#ifndef TP_WRITER_BASE_SORT_H
#define TP_WRITER_BASE_SORT_H

#include <stdint.h>

#include "writer/base/arena.h"

/* An item sorted by (key, tie). */
struct tp_keyed {
    int64_t key;
    uint32_t tie, item;
};

void tp_sort_keyed(struct tp_keyed *items, size_t count, struct tp_arena *arena);

/* Order of two rows: <0, 0, >0. */
typedef int (*tp_row_order)(const void *context, uint32_t x, uint32_t y);

/* Sorts row numbers. */
void tp_sort_rows(uint32_t *rows, size_t count, tp_row_order order, const void *context, struct tp_arena *arena);

#endif
