/* Distinct tuples of 32-bit numbers, numbered 0, 1, 2 .. in order of first appearance: keys of groups, edges of trees.
 */
#ifndef TP_WRITER_BASE_KEYS_H
#define TP_WRITER_BASE_KEYS_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_keys {
    struct tp_vec items; /* width numbers each */
    uint32_t *slots;     /* id + 1; 0: free */
    uint32_t width, slot_count;
};

void tp_keys_init(struct tp_keys *tuples, struct tp_arena *arena, uint32_t width);
/* Id of the tuple, added when new. */
uint32_t tp_keys_add(struct tp_keys *tuples, const uint32_t *tuple);
/* Id of the tuple or TP_NO_ID. */
uint32_t tp_keys_find(const struct tp_keys *tuples, const uint32_t *tuple);

/* Returns its memory early. */
void tp_keys_drop(struct tp_keys *tuples);

static inline uint32_t tp_keys_count(const struct tp_keys *tuples)
{
    return (uint32_t)(tuples->items.count / tuples->width);
}
static inline const uint32_t *tp_keys_get(const struct tp_keys *tuples, uint32_t id)
{
    return (const uint32_t *)tuples->items.data + (size_t)id * tuples->width;
}
/* A pair, the usual case. */
static inline uint32_t tp_keys_pair(struct tp_keys *tuples, uint32_t x, uint32_t y)
{
    return tp_keys_add(tuples, (uint32_t[]){x, y});
}

#endif
