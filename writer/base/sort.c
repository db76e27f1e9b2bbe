/* Natural merge sort of keyed items, bottom-up merge sort of row numbers: see sort.h. */
#include "writer/base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { FEW = 8 };

static inline bool stands_before(const struct tp_keyed *x, const struct tp_keyed *y)
{
    return x->key != y->key ? x->key < y->key : x->tie < y->tie;
}

static void merge_keyed(struct tp_keyed *items, size_t middle, size_t count, struct tp_keyed *scratch)
{
    memcpy(scratch, items, middle * sizeof *items);
    size_t i = 0, j = middle, k = 0;
    while (i < middle && j < count)
        items[k++] = stands_before(&items[j], &scratch[i]) ? items[j++] : scratch[i++];
    while (i < middle)
        items[k++] = scratch[i++];
}

static bool is_sorted(const struct tp_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (stands_before(&items[i], &items[i - 1]))
            return false;
    return true;
}

static void insertion_sort(struct tp_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct tp_keyed x = items[i];
        size_t k = i;
        for (; k > 0 && stands_before(&x, &items[k - 1]); k--)
            items[k] = items[k - 1];
        items[k] = x;
    }
}

void tp_sort_keyed(struct tp_keyed *items, size_t count, struct tp_arena *arena)
{
    if (count <= FEW) {
        insertion_sort(items, count);
        return;
    }
    if (is_sorted(items, count))
        return;
    struct tp_vec starts = TP_VEC(arena, size_t); /* starts of the sorted runs */
    for (size_t i = 0; i < count; i++)
        if (i == 0 || stands_before(&items[i], &items[i - 1]))
            *(size_t *)tp_vec_push(&starts) = i;
    size_t runs = starts.count, *run = starts.data;
    struct tp_keyed *scratch = tp_arena_array(arena, count, sizeof *scratch);
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            size_t end = r + 2 < runs ? run[r + 2] : count;
            if (r + 1 < runs)
                merge_keyed(items + run[r], run[r + 1] - run[r], end - run[r], scratch);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
    tp_arena_drop(arena, starts.data, starts.capacity * sizeof *run);
}

void tp_sort_rows(uint32_t *rows, size_t count, tp_row_order order, const void *context, struct tp_arena *arena)
{
    if (count < 2)
        return;
    uint32_t *from = rows, *to = tp_arena_array(arena, count, sizeof *to), *scratch = to;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count, hi = mid + width < count ? mid + width : count;
            size_t i = lo, j = mid, k = lo;
            while (i < mid && j < hi)
                to[k++] = order(context, from[j], from[i]) < 0 ? from[j++] : from[i++];
            while (i < mid)
                to[k++] = from[i++];
            while (j < hi)
                to[k++] = from[j++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows)
        memcpy(rows, from, count * sizeof *rows);
    tp_arena_drop(arena, scratch, count * sizeof *scratch);
}
