/* Stores many numbers without loss if most of them are small, such as durations in ns. Each number takes 32 bits, and a
 * list contains the few larger numbers. The numbers cannot be changed later; any thread may read them. */
#ifndef TP_WRITER_BASE_NARROW_H
#define TP_WRITER_BASE_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* A number that needs more than 32 bits, and its index. Lists of such numbers are sorted by index. */
struct tp_listed {
    uint32_t at;
    int64_t value;
};

/* Returns the number with index `at` from a list that contains it. */
int64_t tp_listed_value(const struct tp_listed *items, size_t count, uint32_t at);

struct tp_narrow {
    uint32_t *items; /* for each number: its value, or TP_NARROW_LISTED if `listed` has the value */
    struct tp_listed *listed;
    size_t listed_count;
};

#define TP_NARROW_LISTED UINT32_MAX

/* Stores `count` (below 2^32) values in `arena`, and then gives the memory of `values` back to this arena. */
void tp_narrow_init(struct tp_narrow *narrow, int64_t *values, size_t count, struct tp_arena *arena);

static inline int64_t tp_narrow_get(const struct tp_narrow *narrow, uint32_t at)
{
    uint32_t item = narrow->items[at];
    return item != TP_NARROW_LISTED ? item : tp_listed_value(narrow->listed, narrow->listed_count, at);
}

#endif
