/* Maps 64-bit addresses to numbers, in the order of the addresses. Finds an address, and its neighbors, in about
 * logarithmic time. Entries are in sorted buckets, so that an insertion moves at most one bucket. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_ADDRESS_MAP_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

enum { TP_ADDRESS_BUCKET = 128 };

struct tp_address_bucket {
    uint64_t addresses[TP_ADDRESS_BUCKET];
    uint32_t values[TP_ADDRESS_BUCKET];
    uint32_t count;
    struct tp_address_bucket *next_free;
};

struct tp_address_map {
    struct tp_arena *arena;
    struct tp_address_bucket **buckets; /* buckets in the order of their addresses; none is empty */
    uint64_t *first;                    /* first address of each bucket */
    size_t bucket_count, capacity, count;
    struct tp_address_bucket *free; /* buckets without entries, for reuse */
};

/* An entry of the map. Valid until the map changes. */
struct tp_address_entry {
    const struct tp_address_map *map;
    size_t bucket;
    uint32_t index;
};

void tp_address_map_init(struct tp_address_map *map, struct tp_arena *arena);
/* Removes all entries. */
void tp_address_map_clear(struct tp_address_map *map);

/* Returns a pointer to the value of an address; NULL if the address is missing. Valid until the map changes. */
uint32_t *tp_address_map_find(const struct tp_address_map *map, uint64_t address);
/* Sets the value of an address, which is added if it is missing. */
void tp_address_map_put(struct tp_address_map *map, uint64_t address, uint32_t value);
/* Removes an address. Returns false if it is missing. */
bool tp_address_map_remove(struct tp_address_map *map, uint64_t address);

/* Finds the entry with the largest address below `address`, or the smallest address that is at least `address`. Returns
 * false if no such entry exists. */
bool tp_address_map_before(const struct tp_address_map *map, uint64_t address, struct tp_address_entry *entry);
bool tp_address_map_from(const struct tp_address_map *map, uint64_t address, struct tp_address_entry *entry);

/* Moves to the next entry. Returns false after the last entry. */
bool tp_address_entry_next(struct tp_address_entry *entry);

static inline uint64_t tp_address_entry_address(const struct tp_address_entry *entry)
{
    return entry->map->buckets[entry->bucket]->addresses[entry->index];
}
static inline uint32_t tp_address_entry_value(const struct tp_address_entry *entry)
{
    return entry->map->buckets[entry->bucket]->values[entry->index];
}

#endif
