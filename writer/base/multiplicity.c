/* Decides which of many tests are significant: see multiplicity.h. */
#include "writer/base/multiplicity.h"

#include <stdint.h>

#include "writer/base/sort.h"

static int compare_by_p(const void *context, uint32_t x, uint32_t y)
{
    const double *p = context;
    return (p[x] > p[y]) - (p[x] < p[y]);
}

/* Returns the indexes of the tests, sorted by their probability p. */
static uint32_t *sort_indexes_by_p(const double *p, size_t count, struct tp_arena *arena)
{
    uint32_t *order = tp_arena_array(arena, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    tp_sort_rows(order, count, compare_by_p, p, arena);
    return order;
}

static size_t mark_first_as_kept(bool *is_kept, uint32_t *order, size_t count, size_t kept, struct tp_arena *arena)
{
    for (size_t i = 0; i < count; i++)
        is_kept[order[i]] = i < kept;
    tp_arena_free_item(arena, order, count * sizeof *order);
    return kept;
}

size_t tp_holm(bool *is_kept, const double *p, size_t count, double alpha, struct tp_arena *arena)
{
    uint32_t *order = sort_indexes_by_p(p, count, arena);
    size_t kept = 0;
    while (kept < count && p[order[kept]] <= alpha / (double)(count - kept))
        kept++;
    return mark_first_as_kept(is_kept, order, count, kept, arena);
}

size_t tp_benjamini_hochberg(bool *is_kept, const double *p, size_t count, double rate, struct tp_arena *arena)
{
    uint32_t *order = sort_indexes_by_p(p, count, arena);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (p[order[i]] <= rate * (double)(i + 1) / (double)count)
            kept = i + 1;
    return mark_first_as_kept(is_kept, order, count, kept, arena);
}
