/* Stores many numbers that are nearly all small, such as durations in ns, without loss: 32 bits each, and a list of the
 * few that do not fit. Read-only once made; any thread may read. */
#ifndef TP_WRITER_BASE_NARROW_H
#define TP_WRITER_BASE_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

/* A number in the list, with its index. Lists are sorted by index. */
struct tp_listed {
    uint32_t at;
    int64_t value;
};

/* Returns the number with an index, which must be in the list. */
int64_t tp_listed_value(const struct tp_listed *items, size_t count, uint32_t at);

struct tp_narrow {
    uint32_t *items; /* TP_NARROW_LISTED: see the list */
    struct tp_listed *listed;
    size_t listed_count;
};

#define TP_NARROW_LISTED UINT32_MAX

/* Stores `count` values in `arena`, and returns the array `values`, which came from it, to the arena. count < 2^32. */
void tp_narrow_init(struct tp_narrow *narrow, int64_t *values, size_t count, struct tp_arena *arena);

static inline int64_t tp_narrow_get(const struct tp_narrow *narrow, uint32_t at)
{
    uint32_t item = narrow->items[at];
    return item != TP_NARROW_LISTED ? item : tp_listed_value(narrow->listed, narrow->listed_count, at);
}

#endif
