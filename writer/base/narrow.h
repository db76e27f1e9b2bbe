/* Stores many numbers that are nearly all small, such as durations in ns, without loss. Each number uses 32 bits, and a
 * list stores the few larger numbers. The numbers cannot be changed afterwards; any thread may read them. */
#ifndef TP_WRITER_BASE_NARROW_H
#define TP_WRITER_BASE_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* A number that needs more than 32 bits, with its index. The list is sorted by index. */
struct tp_listed {
    uint32_t at;
    int64_t value;
};

/* Returns the number with index `at`, which must be in the list. */
int64_t tp_listed_value(const struct tp_listed *items, size_t count, uint32_t at);

struct tp_narrow {
    uint32_t *items; /* the numbers; TP_NARROW_LISTED if the number is in `listed` */
    struct tp_listed *listed;
    size_t listed_count;
};

#define TP_NARROW_LISTED UINT32_MAX

/* Stores `count` (below 2^32) values in `arena`. Then returns the memory of `values`, which must come from `arena`, to
 * the arena. */
void tp_narrow_init(struct tp_narrow *narrow, int64_t *values, size_t count, struct tp_arena *arena);

static inline int64_t tp_narrow_get(const struct tp_narrow *narrow, uint32_t at)
{
    uint32_t item = narrow->items[at];
    return item != TP_NARROW_LISTED ? item : tp_listed_value(narrow->listed, narrow->listed_count, at);
}

#endif
