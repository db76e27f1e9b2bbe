/* Adds up times: one sum for each distinct pair of numbers. */
#ifndef TP_WRITER_BASE_KEY_SUMS_H
#define TP_WRITER_BASE_KEY_SUMS_H

#include "writer/base/keys.h"
#include "writer/base/saturate.h"

struct tp_key_sums {
    struct tp_keys keys;
    struct tp_vec ns; /* sum of times for each pair id in `keys`, ns; elements: int64_t */
};

static inline void tp_key_sums_init(struct tp_key_sums *sums, struct tp_arena *arena)
{
    tp_keys_init(&sums->keys, arena, 2);
    sums->ns = TP_VEC(arena, int64_t);
}

static inline void tp_key_sums_add(struct tp_key_sums *sums, uint32_t x, uint32_t y, int64_t ns)
{
    uint32_t number = tp_keys_pair(&sums->keys, x, y);
    if (number == sums->ns.count)
        *(int64_t *)tp_vec_push(&sums->ns) = 0;
    int64_t *sum = TP_AT(&sums->ns, int64_t, number);
    *sum = tp_sat_add(*sum, ns);
}

static inline int64_t tp_key_sums_at(const struct tp_key_sums *sums, uint32_t number)
{
    return *TP_AT(&sums->ns, int64_t, number);
}

#endif
