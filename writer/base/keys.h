/* Numbers distinct keys as 0, 1, 2 .. in order of first appearance. All keys have the same length, counted in 32-bit
 * numbers. Used to group rows and for the edges of trees. */
#ifndef TP_WRITER_BASE_KEYS_H
#define TP_WRITER_BASE_KEYS_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_keys {
    struct tp_vec items; /* numbers of all keys, `width` numbers for each key; elements: uint32_t */
    uint32_t *slots;     /* hash table; a slot is 1 + id of a key, or 0 if it is free */
    uint32_t width, slot_count, count;
};

void tp_keys_init(struct tp_keys *keys, struct tp_arena *arena, uint32_t width);
/* Returns the id of the key, which is added if it is missing. */
uint32_t tp_keys_add(struct tp_keys *keys, const uint32_t *key);
/* Returns the id of the key; TP_NO_ID if the key is missing. */
uint32_t tp_keys_find(const struct tp_keys *keys, const uint32_t *key);

/* Gives the memory of the keys back to the arena for reuse, and removes all keys. */
void tp_keys_release(struct tp_keys *keys);

static inline uint32_t tp_keys_count(const struct tp_keys *keys)
{
    return keys->count;
}
static inline const uint32_t *tp_keys_get(const struct tp_keys *keys, uint32_t id)
{
    return (const uint32_t *)keys->items.data + (size_t)id * keys->width;
}
/* Returns the id of the pair (x, y), which is added if it is missing. The width of the keys must be 2. */
static inline uint32_t tp_keys_pair(struct tp_keys *keys, uint32_t x, uint32_t y)
{
    return tp_keys_add(keys, (uint32_t[]){x, y});
}

#endif
