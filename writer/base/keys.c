/* Numbers distinct keys with a hash table over the list of keys: see keys.h. */
#include "writer/base/keys.h"

#include <stdbool.h>
#include <string.h>

#include "writer/base/error.h"
#include "writer/base/limits.h"

enum { FIRST_SLOTS = 64 };

void tp_keys_init(struct tp_keys *keys, struct tp_arena *arena, uint32_t width)
{
    memset(keys, 0, sizeof *keys);
    keys->items = TP_VEC(arena, uint32_t);
    keys->width = width;
}

static inline uint64_t mix_bits(uint64_t x)
{
    unsigned __int128 product = (unsigned __int128)(x ^ 0x9E3779B97F4A7C15ull) * 0xE7037ED1A0B428DBull;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t pair_as_number(const uint32_t *key)
{
    uint64_t pair;
    memcpy(&pair, key, sizeof pair);
    return pair;
}

static inline uint64_t key_hash(const uint32_t *key, uint32_t width)
{
    uint64_t hash = width;
    for (; width > 1; width -= 2, key += 2)
        hash = mix_bits(hash ^ pair_as_number(key));
    return width ? mix_bits(hash ^ *key) : hash;
}

static inline bool are_equal(const uint32_t *x, const uint32_t *y, uint32_t width)
{
    for (; width > 1; width -= 2, x += 2, y += 2)
        if (pair_as_number(x) != pair_as_number(y))
            return false;
    return !width || *x == *y;
}

/* Returns the slot of a key that consists of two numbers, as most keys do. Compares both numbers as one 64-bit
 * number. */
static inline uint32_t *find_pair_slot(const struct tp_keys *keys, const uint32_t *key)
{
    uint64_t pair = pair_as_number(key);
    uint32_t mask = keys->slot_count - 1;
    for (uint32_t at = (uint32_t)mix_bits(pair) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &keys->slots[at];
        if (!*slot || pair_as_number(tp_keys_get(keys, *slot - 1)) == pair)
            return slot;
    }
}

/* Returns the slot that contains the key, or the free slot where it must be added. */
static inline uint32_t *find_slot(const struct tp_keys *keys, const uint32_t *key)
{
    if (keys->width == 2)
        return find_pair_slot(keys, key);
    uint32_t mask = keys->slot_count - 1;
    for (uint32_t at = (uint32_t)key_hash(key, keys->width) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &keys->slots[at];
        if (!*slot || are_equal(tp_keys_get(keys, *slot - 1), key, keys->width))
            return slot;
    }
}

static void double_key_slots(struct tp_keys *keys)
{
    uint32_t *old = keys->slots, old_count = keys->slot_count;
    if (old_count > UINT32_MAX / 2)
        tp_arena_fail(keys->items.arena, TP_ELIMIT);
    keys->slot_count = old_count ? old_count * 2 : FIRST_SLOTS;
    keys->slots = tp_arena_array(keys->items.arena, keys->slot_count, sizeof *keys->slots);
    for (uint32_t id = 0; id < tp_keys_count(keys); id++)
        *find_slot(keys, tp_keys_get(keys, id)) = id + 1;
    tp_arena_free_item(keys->items.arena, old, (size_t)old_count * sizeof *old);
}

uint32_t tp_keys_add(struct tp_keys *keys, const uint32_t *key)
{
    if (keys->count >= keys->slot_count / 2)
        double_key_slots(keys);
    uint32_t *slot = find_slot(keys, key);
    if (*slot)
        return *slot - 1;
    for (uint32_t i = 0; i < keys->width; i++)
        *(uint32_t *)tp_vec_push(&keys->items) = key[i];
    return (*slot = ++keys->count) - 1;
}

uint32_t tp_keys_find(const struct tp_keys *keys, const uint32_t *key)
{
    /* a free slot is 0, and 0 - 1 is TP_NO_ID */
    return keys->slot_count ? *find_slot(keys, key) - 1 : TP_NO_ID;
}

void tp_keys_release(struct tp_keys *keys)
{
    struct tp_arena *arena = keys->items.arena;
    tp_arena_free_item(arena, keys->items.data, keys->items.capacity * sizeof(uint32_t));
    tp_arena_free_item(arena, keys->slots, (size_t)keys->slot_count * sizeof *keys->slots);
    tp_keys_init(keys, arena, keys->width);
}
