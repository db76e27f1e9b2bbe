/* Numbers a trace uses as ids (correlations, External ids, devices), renumbered 0, 1, 2 .. in order of first
 * appearance.
 *
 * A direct table where the ids stand close together, as in every real trace; a hash table otherwise. */
#ifndef TP_WRITER_BASE_RENUMBER_H
#define TP_WRITER_BASE_RENUMBER_H

#include <stdint.h>

#include "writer/base/keys.h"

struct tp_ids {
    struct tp_keys tuples;
    uint32_t *direct; /* id + 1 at value - lowest; NULL: tuples serve */
    int64_t lowest;
    uint64_t direct_count;
    uint32_t count;
};

/* lowest, highest: bounds of what will be added; expected: about how many additions. */
void tp_ids_init(struct tp_ids *ids, struct tp_arena *arena, int64_t lowest, int64_t highest, uint64_t expected);
/* The same for the ids of `count` items, which `id_of` tells (TP_NULL_INT: none); returns how many have one. */
typedef int64_t tp_id_of(const void *context, uint32_t item);
uint64_t tp_ids_init_of(struct tp_ids *ids, struct tp_arena *arena, uint32_t count, tp_id_of *id_of,
                        const void *context);
uint32_t tp_ids_add(struct tp_ids *ids, int64_t value);
/* Number of the value or TP_NO_ID. */
uint32_t tp_ids_find(const struct tp_ids *ids, int64_t value);
/* Returns the direct table early. */
void tp_ids_drop(struct tp_ids *ids, struct tp_arena *arena);

#endif
