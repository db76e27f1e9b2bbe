/* Distinct keys: open addressing over the list of items. See keys.h. */
#include "writer/base/keys.h"

#include "writer/base/error.h"
#include "writer/base/limits.h"

enum { FIRST_SLOTS = 64 };

void tp_keys_init(struct tp_keys *keys, struct tp_arena *arena, uint32_t width)
{
    memset(keys, 0, sizeof *keys);
    keys->items = TP_VEC(arena, uint32_t);
    keys->width = width;
}

static inline uint64_t hash_of(const uint32_t *key, uint32_t width)
{
    uint64_t hash = width;
    for (uint32_t i = 0; i < width; i++) {
        unsigned __int128 product = (unsigned __int128)(hash ^ key[i] ^ 0x9E3779B97F4A7C15ull) * 0xE7037ED1A0B428DBull;
        hash = (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    return hash;
}

/* Slot of a pair, the usual key, as one number. */
static inline uint32_t *slot_of_pair(const struct tp_keys *keys, const uint32_t *key)
{
    uint64_t pair, other;
    memcpy(&pair, key, sizeof pair);
    unsigned __int128 product = (unsigned __int128)(pair ^ 0x9E3779B97F4A7C15ull) * 0xE7037ED1A0B428DBull;
    uint32_t mask = keys->slot_count - 1;
    for (uint32_t at = (uint32_t)(product >> 64 ^ product) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &keys->slots[at];
        if (!*slot)
            return slot;
        memcpy(&other, tp_keys_get(keys, *slot - 1), sizeof other);
        if (other == pair)
            return slot;
    }
}

/* Slot that holds the key, or the free one where it belongs. */
static inline uint32_t *slot_of(const struct tp_keys *keys, const uint32_t *key)
{
    if (keys->width == 2)
        return slot_of_pair(keys, key);
    uint32_t mask = keys->slot_count - 1;
    for (uint32_t at = (uint32_t)hash_of(key, keys->width) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &keys->slots[at];
        if (!*slot || memcmp(tp_keys_get(keys, *slot - 1), key, keys->width * sizeof *key) == 0)
            return slot;
    }
}

static void grow(struct tp_keys *keys)
{
    uint32_t *old = keys->slots, old_count = keys->slot_count;
    if (old_count > UINT32_MAX / 2)
        tp_arena_fail(keys->items.arena, TP_ELIMIT);
    keys->slot_count = old_count ? old_count * 2 : FIRST_SLOTS;
    keys->slots = tp_arena_array(keys->items.arena, keys->slot_count, sizeof *keys->slots);
    for (uint32_t id = 0; id < tp_keys_count(keys); id++)
        *slot_of(keys, tp_keys_get(keys, id)) = id + 1;
    tp_arena_drop(keys->items.arena, old, (size_t)old_count * sizeof *old);
}

uint32_t tp_keys_add(struct tp_keys *keys, const uint32_t *key)
{
    uint32_t count = tp_keys_count(keys);
    if (count >= keys->slot_count / 2)
        grow(keys);
    uint32_t *slot = slot_of(keys, key);
    if (*slot)
        return *slot - 1;
    for (uint32_t i = 0; i < keys->width; i++)
        *(uint32_t *)tp_vec_push(&keys->items) = key[i];
    *slot = count + 1;
    return count;
}

uint32_t tp_keys_find(const struct tp_keys *keys, const uint32_t *key)
{
    return keys->slot_count ? *slot_of(keys, key) - 1 : TP_NO_ID; /* 0 - 1 is TP_NO_ID */
}

void tp_keys_drop(struct tp_keys *keys)
{
    struct tp_arena *arena = keys->items.arena;
    tp_arena_drop(arena, keys->items.data, keys->items.capacity * sizeof(uint32_t));
    tp_arena_drop(arena, keys->slots, (size_t)keys->slot_count * sizeof *keys->slots);
    tp_keys_init(keys, arena, keys->width);
}
