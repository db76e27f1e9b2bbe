/* Distinct tuples of 32-bit numbers, numbered 0, 1, 2 .. in order of first appearance: keys of groups, edges of trees.
 */
#ifndef TP_WEBREPORT_MODEL_TUPLES_H
#define TP_WEBREPORT_MODEL_TUPLES_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_tuples {
    struct tp_vec items; /* width numbers each */
    uint32_t *slots;     /* id + 1; 0: free */
    uint32_t width, slot_count;
};

void tp_tuples_init(struct tp_tuples *tuples, struct tp_arena *arena, uint32_t width);
/* Id of the tuple, added when new. */
uint32_t tp_tuples_add(struct tp_tuples *tuples, const uint32_t *tuple);
/* Id of the tuple or TP_NO_ID. */
uint32_t tp_tuples_find(const struct tp_tuples *tuples, const uint32_t *tuple);

/* Returns its memory early. */
void tp_tuples_drop(struct tp_tuples *tuples);

static inline uint32_t tp_tuples_count(const struct tp_tuples *tuples)
{
    return (uint32_t)(tuples->items.count / tuples->width);
}
static inline const uint32_t *tp_tuples_get(const struct tp_tuples *tuples, uint32_t id)
{
    return (const uint32_t *)tuples->items.data + (size_t)id * tuples->width;
}
/* A pair, the usual case. */
static inline uint32_t tp_tuples_pair(struct tp_tuples *tuples, uint32_t x, uint32_t y)
{
    return tp_tuples_add(tuples, (uint32_t[]){x, y});
}

#endif
