/* A stable sort whose time depends on the input's disorder only: natural merge sort, one pass over sorted items, n log
 * n at worst, no malloc (qsort may call it). */
#ifndef TP_WRITER_BASE_MERGE_SORT_H
#define TP_WRITER_BASE_MERGE_SORT_H

#include <stddef.h>

#include "writer/base/arena.h"

/* <0, 0, >0 as x stands before, with or after y. */
typedef int (*tp_compare)(const void *x, const void *y, const void *context);

/* Sorts `count` items of `size` bytes in place; scratch memory comes from the arena. */
void tp_merge_sort(struct tp_arena *arena, void *items, size_t count, size_t size, tp_compare compare,
                   const void *context);

#endif
