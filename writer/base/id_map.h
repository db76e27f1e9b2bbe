/* Maps 64-bit keys to 32-bit values. The hash table is in an arena, uses open addressing with linear probing, and grows
 * at 2/3 of its capacity. */
#ifndef TP_WRITER_BASE_ID_MAP_H
#define TP_WRITER_BASE_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"

struct tp_id_slot {
    uint64_t key;
    uint32_t value;
    bool is_used;
};

struct tp_id_map {
    struct tp_arena *arena;
    struct tp_id_slot *slots;
    uint32_t slot_count, count;
};

void tp_id_map_init(struct tp_id_map *map, struct tp_arena *arena);

/* Returns a pointer to the value of `key`, or NULL. The pointer is valid until the next tp_id_map_find_or_add. */
uint32_t *tp_id_map_find(const struct tp_id_map *map, uint64_t key);

/* Returns the value of `key`, or TP_NO_ID. */
static inline uint32_t tp_id_map_get(const struct tp_id_map *map, uint64_t key)
{
    const uint32_t *value = tp_id_map_find(map, key);
    return value ? *value : UINT32_MAX;
}

/* Returns a pointer to the value of `key`. Adds a missing key with the value TP_NO_ID (UINT32_MAX). The pointer is
 * valid until the next tp_id_map_find_or_add. */
uint32_t *tp_id_map_find_or_add(struct tp_id_map *map, uint64_t key);

/* Gives the memory of a large map back to the arena for reuse. */
void tp_id_map_release(struct tp_id_map *map);

static inline uint64_t tp_id_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
