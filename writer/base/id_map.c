/* Implements the map with integer keys: see id_map.h. */
#include "writer/base/id_map.h"

enum { FIRST_SLOTS = 8 };

static uint64_t hash_of(uint64_t x) /* Returns the hash of a key, computed by the finalizer of splitmix64. */
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void tp_id_map_init(struct tp_id_map *map, struct tp_arena *arena)
{
    *map = (struct tp_id_map){.arena = arena};
}

static struct tp_id_slot *find_slot(const struct tp_id_map *map, uint64_t key)
{
    uint32_t mask = map->slot_count - 1, at = (uint32_t)hash_of(key) & mask;
    while (map->slots[at].is_used && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

static void double_map_slots(struct tp_id_map *map)
{
    struct tp_id_map old = *map;
    map->slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS;
    map->slots = tp_arena_array(map->arena, map->slot_count, sizeof *map->slots);
    for (uint32_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].is_used)
            *find_slot(map, old.slots[i].key) = old.slots[i];
    tp_id_map_release(&old);
}

void tp_id_map_release(struct tp_id_map *map)
{
    if (map->slots)
        tp_arena_free_item(map->arena, map->slots, (size_t)map->slot_count * sizeof *map->slots);
    map->slots = NULL;
    map->slot_count = map->count = 0;
}

uint32_t *tp_id_map_find(const struct tp_id_map *map, uint64_t key)
{
    if (!map->count)
        return NULL;
    struct tp_id_slot *slot = find_slot(map, key);
    return slot->is_used ? &slot->value : NULL;
}

uint32_t *tp_id_map_find_or_add(struct tp_id_map *map, uint64_t key)
{
    if ((uint64_t)map->count * 3 >= (uint64_t)map->slot_count * 2)
        double_map_slots(map);
    struct tp_id_slot *slot = find_slot(map, key);
    if (!slot->is_used) {
        *slot = (struct tp_id_slot){key, UINT32_MAX, true};
        map->count++;
    }
    return &slot->value;
}
