/* Implements a natural merge sort for any items and for keyed items, and a bottom-up merge sort for row numbers: see
 * sort.h. */
#include "writer/base/sort.h"

#include <stdbool.h>
#include <string.h>

/* ---- items of any type ---- */

struct merging {
    char *items, *scratch;
    size_t size;
    tp_compare compare;
    const void *context;
};

/* Merges two adjacent sorted runs. Items that are already in their final place at the beginning and the end are not
 * moved. */
static void merge_adjacent_runs(const struct merging *m, size_t first, size_t middle, size_t end)
{
    size_t size = m->size, from = middle;
    char *right = m->items + middle * size, *stop = m->items + end * size;
    while (from > first && m->compare(right, m->items + (from - 1) * size, m->context) < 0)
        from--;
    size_t left_bytes = (middle - from) * size;
    char *out = m->items + from * size;
    const char *left = m->scratch, *left_stop = m->scratch + left_bytes;
    memcpy(m->scratch, out, left_bytes);
    while (left < left_stop && right < stop) {
        if (m->compare(right, left, m->context) < 0) {
            memmove(out, right, size);
            right += size;
        } else {
            memcpy(out, left, size);
            left += size;
        }
        out += size;
    }
    memcpy(out, left, (size_t)(left_stop - left));
}

void tp_merge_sort(struct tp_arena *arena, void *items, size_t count, size_t size, tp_compare compare,
                   const void *context)
{
    struct tp_vec starts = TP_VEC(arena, size_t); /* indexes at which sorted runs start */
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare((char *)items + i * size, (char *)items + (i - 1) * size, context) < 0)
            *(size_t *)tp_vec_push(&starts) = i;
    if (starts.count < 2)
        return;
    struct merging m = {items, tp_arena_array(arena, count, size), size, compare, context};
    size_t *run = starts.data, runs = starts.count;
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            if (r + 1 < runs)
                merge_adjacent_runs(&m, run[r], run[r + 1], r + 2 < runs ? run[r + 2] : count);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_free_item(arena, m.scratch, count * size);
    tp_arena_free_item(arena, starts.data, starts.capacity * sizeof(size_t));
}

/* ---- items with an integer key ---- */

enum { FEW = 8 };

static inline bool comes_before(const struct tp_keyed *x, const struct tp_keyed *y)
{
    return x->key != y->key ? x->key < y->key : x->tie < y->tie;
}

/* Merges two adjacent sorted runs of keyed items. */
static void merge_keyed_runs(struct tp_keyed *items, size_t middle, size_t count, struct tp_keyed *scratch)
{
    size_t first = middle;
    while (first && comes_before(&items[middle], &items[first - 1]))
        first--;
    size_t moved = middle - first, i = 0, j = middle, k = first;
    memcpy(scratch, items + first, moved * sizeof *items);
    while (i < moved && j < count)
        items[k++] = comes_before(&items[j], &scratch[i]) ? items[j++] : scratch[i++];
    while (i < moved)
        items[k++] = scratch[i++];
}

static bool is_sorted(const struct tp_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (comes_before(&items[i], &items[i - 1]))
            return false;
    return true;
}

static void insertion_sort(struct tp_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct tp_keyed x = items[i];
        size_t k = i;
        for (; k > 0 && comes_before(&x, &items[k - 1]); k--)
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
    struct tp_vec starts = TP_VEC(arena, size_t); /* indexes at which sorted runs start */
    for (size_t i = 0; i < count; i++)
        if (i == 0 || comes_before(&items[i], &items[i - 1]))
            *(size_t *)tp_vec_push(&starts) = i;
    size_t runs = starts.count, *run = starts.data;
    struct tp_keyed *scratch = tp_arena_array(arena, count, sizeof *scratch);
    while (runs > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < runs; r += 2) {
            size_t end = r + 2 < runs ? run[r + 2] : count;
            if (r + 1 < runs)
                merge_keyed_runs(items + run[r], run[r + 1] - run[r], end - run[r], scratch);
            run[kept++] = run[r];
        }
        runs = kept;
    }
    tp_arena_free_item(arena, scratch, count * sizeof *scratch);
    tp_arena_free_item(arena, starts.data, starts.capacity * sizeof *run);
}

/* ---- row numbers ---- */

static bool is_in_order(const uint32_t *rows, size_t count, tp_row_order order, const void *context)
{
    for (size_t i = 1; i < count; i++)
        if (order(context, rows[i], rows[i - 1]) < 0)
            return false;
    return true;
}

void tp_sort_rows(uint32_t *rows, size_t count, tp_row_order order, const void *context, struct tp_arena *arena)
{
    if (is_in_order(rows, count, order, context)) /* saves the sort, because rows in order of time are often already
                                                     sorted */
        return;
    uint32_t *from = rows, *to = tp_arena_array(arena, count, sizeof *to), *scratch = to;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count, hi = mid + width < count ? mid + width : count;
            size_t i = lo, j = mid, k = lo;
            bool is_done = mid == hi || order(context, from[mid], from[mid - 1]) >= 0;
            while (!is_done && i < mid && j < hi)
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
    tp_arena_free_item(arena, scratch, count * sizeof *scratch);
}
