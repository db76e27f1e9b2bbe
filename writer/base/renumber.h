/* Renumbers the ids of a trace (correlations, External ids, devices) as 0, 1, 2 .. in order of first appearance.
 *
 * Uses a direct table if the ids are in a small range, as in every real trace. Otherwise uses a hash table. */
#ifndef TP_WRITER_BASE_RENUMBER_H
#define TP_WRITER_BASE_RENUMBER_H

#include <stdint.h>

#include "writer/base/keys.h"

struct tp_ids {
    struct tp_keys keys;
    uint32_t *direct; /* direct table: the item at index i is 1 + the new number of the value lowest + i, or 0 if the
                         value is absent; NULL: the hash table is used */
    int64_t lowest;
    uint64_t direct_count;
    uint32_t count;
};

/* Initializes *ids. lowest, highest: bounds of the values to be added. expected: approximate number of additions. */
void tp_ids_init(struct tp_ids *ids, struct tp_arena *arena, int64_t lowest, int64_t highest, uint64_t expected);
/* Returns the id of an item, or TP_NULL_INT if the item has none. */
typedef int64_t tp_id_of(const void *context, uint32_t item);
/* Initializes *ids for the ids of items 0 to count - 1. Returns how many items have an id. */
uint64_t tp_ids_init_for_items(struct tp_ids *ids, struct tp_arena *arena, uint32_t count, tp_id_of *id_of,
                               const void *context);
uint32_t tp_ids_add(struct tp_ids *ids, int64_t value);
/* Returns the new number of the value, or TP_NO_ID. */
uint32_t tp_ids_find(const struct tp_ids *ids, int64_t value);
/* Returns the direct table to the arena early. */
void tp_ids_drop(struct tp_ids *ids, struct tp_arena *arena);

#endif
