/* Stores numbers that are mostly small: see narrow.h. */
#include "writer/base/narrow.h"

#include <assert.h>

int64_t tp_listed_value(const struct tp_listed *items, size_t count, uint32_t at)
{
    size_t lo = 0, hi = count;
    assert(count && items[count - 1].at >= at);
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (items[mid].at <= at)
            lo = mid;
        else
            hi = mid;
    }
    assert(items[lo].at == at);
    return items[lo].value;
}

void tp_narrow_init(struct tp_narrow *narrow, int64_t *values, size_t count, struct tp_arena *arena)
{
    struct tp_vec listed = TP_VEC(arena, struct tp_listed);
    uint32_t *items = tp_arena_array(arena, count, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        bool fits = values[i] >= 0 && values[i] < TP_NARROW_LISTED;
        items[i] = fits ? (uint32_t)values[i] : TP_NARROW_LISTED;
        if (!fits)
            *(struct tp_listed *)tp_vec_push(&listed) = (struct tp_listed){(uint32_t)i, values[i]};
    }
    tp_arena_free_item(arena, values, count * sizeof *values);
    *narrow = (struct tp_narrow){items, listed.data, listed.count};
}
