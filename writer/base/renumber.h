/* Renumbers the ids of a trace (correlations, External ids, devices) as 0, 1, 2 .. in order of first appearance.
 *
 * Uses a table that is indexed by id if the ids are in a small range, as in every real trace. Otherwise uses a hash
 * table. */
#ifndef TP_WRITER_BASE_RENUMBER_H
#define TP_WRITER_BASE_RENUMBER_H

#include <stdint.h>

#include "writer/base/keys.h"

struct tp_ids {
    struct tp_keys keys;
    uint32_t *number_by_id; /* table for small ranges; element i: 1 + new number of the id lowest + i, or 0 if this id
                         is absent; NULL: the hash table `keys` is used */
    int64_t lowest;
    uint64_t direct_entry_count;
    uint32_t count;
};

/* Initializes *ids. lowest, highest: bounds of the ids to be added. expected: approximate number of additions. */
void tp_ids_init(struct tp_ids *ids, struct tp_arena *arena, int64_t lowest, int64_t highest, uint64_t expected);
/* Returns the id of an item, or TP_NULL_INT if the item has none. */
typedef int64_t tp_id_of(const void *context, uint32_t item);
/* Initializes *ids for the ids that id_of returns for the items 0 to count - 1. Returns the number of items that have
 * an id. */
uint64_t tp_ids_init_for_items(struct tp_ids *ids, struct tp_arena *arena, uint32_t count, tp_id_of *id_of,
                               const void *context);
uint32_t tp_ids_add(struct tp_ids *ids, int64_t value);
/* Returns the new number of an id; TP_NO_ID if it was not added. */
uint32_t tp_ids_find(const struct tp_ids *ids, int64_t value);
/* Gives the memory of the table `direct` back to the arena for reuse. */
void tp_ids_release(struct tp_ids *ids, struct tp_arena *arena);

#endif
