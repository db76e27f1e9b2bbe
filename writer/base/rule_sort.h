/* Sorts indexes by an order that the caller defines: a stable merge sort that needs one pass over sorted input. Inline,
 * so that the compiler makes separate code for each order. */
#ifndef TP_WRITER_BASE_RULE_SORT_H
#define TP_WRITER_BASE_RULE_SORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "writer/base/arena.h"

/* Returns whether index x comes before index y. context: the data that the indexes refer to. */
typedef bool tp_comes_before(const void *context, uint32_t x, uint32_t y);

/* Merges two sorted runs, [0, middle) and [middle, count). Items that are already in their final place at the beginning
 * and the end are not moved, so that nearly sorted input needs few moves. */
static inline __attribute__((always_inline)) void tp_rule_merge(uint32_t *items, uint32_t middle, uint32_t count,
                                                                uint32_t *scratch, const void *context,
                                                                tp_comes_before *comes_before)
{
    uint32_t first = middle;
    while (first && comes_before(context, items[middle], items[first - 1]))
        first--;
    uint32_t moved = middle - first, i = 0, j = middle, k = first;
    memcpy(scratch, items + first, moved * sizeof *items);
    while (i < moved && j < count)
        items[k++] = comes_before(context, items[j], scratch[i]) ? items[j++] : scratch[i++];
    while (i < moved)
        items[k++] = scratch[i++];
}

/* Sorts `count` indexes in place. Scratch memory comes from the arena and is given back. */
static inline __attribute__((always_inline)) void tp_sort_by_rule(uint32_t *indexes, uint32_t count,
                                                                  struct tp_arena *arena, const void *context,
                                                                  tp_comes_before *comes_before)
{
    struct tp_vec starts = TP_VEC(arena, uint32_t); /* index of the first item in each sorted run */
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || comes_before(context, indexes[i], indexes[i - 1]))
            *(uint32_t *)tp_vec_push(&starts) = i;
    if (starts.count < 2)
        return;
    uint32_t *scratch = tp_arena_array(arena, count, sizeof *scratch);
    uint32_t *run = starts.data;
    size_t runs = starts.count;
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            uint32_t end = r + 2 < runs ? run[r + 2] : count;
            if (r + 1 < runs)
                tp_rule_merge(indexes + run[r], run[r + 1] - run[r], end - run[r], scratch, context, comes_before);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_free_item(arena, scratch, count * sizeof *scratch);
    tp_arena_free_item(arena, starts.data, starts.capacity * sizeof *run);
}

#endif
