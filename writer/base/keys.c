/* Distinct tuples: open addressing over the list of items. See keys.h. */
#include "writer/base/keys.h"

#include "writer/base/error.h"
#include "writer/base/limits.h"

enum { FIRST_SLOTS = 64 };

void tp_keys_init(struct tp_keys *tuples, struct tp_arena *arena, uint32_t width)
{
    memset(tuples, 0, sizeof *tuples);
    tuples->items = TP_VEC(arena, uint32_t);
    tuples->width = width;
}

static inline uint64_t hash_of(const uint32_t *tuple, uint32_t width)
{
    uint64_t hash = width;
    for (uint32_t i = 0; i < width; i++) {
        unsigned __int128 product =
            (unsigned __int128)(hash ^ tuple[i] ^ 0x9E3779B97F4A7C15ull) * 0xE7037ED1A0B428DBull;
        hash = (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    return hash;
}

/* Slot that holds the tuple, or the free one where it belongs. */
static inline uint32_t *slot_of(const struct tp_keys *tuples, const uint32_t *tuple)
{
    uint32_t mask = tuples->slot_count - 1;
    for (uint32_t at = (uint32_t)hash_of(tuple, tuples->width) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &tuples->slots[at];
        if (!*slot || memcmp(tp_keys_get(tuples, *slot - 1), tuple, tuples->width * sizeof *tuple) == 0)
            return slot;
    }
}

static void grow(struct tp_keys *tuples)
{
    uint32_t *old = tuples->slots, old_count = tuples->slot_count;
    if (old_count > UINT32_MAX / 2)
        tp_arena_fail(tuples->items.arena, TP_ELIMIT);
    tuples->slot_count = old_count ? old_count * 2 : FIRST_SLOTS;
    tuples->slots = tp_arena_array(tuples->items.arena, tuples->slot_count, sizeof *tuples->slots);
    for (uint32_t id = 0; id < tp_keys_count(tuples); id++)
        *slot_of(tuples, tp_keys_get(tuples, id)) = id + 1;
    tp_arena_drop(tuples->items.arena, old, (size_t)old_count * sizeof *old);
}

uint32_t tp_keys_add(struct tp_keys *tuples, const uint32_t *tuple)
{
    uint32_t count = tp_keys_count(tuples);
    if (count >= tuples->slot_count / 2)
        grow(tuples);
    uint32_t *slot = slot_of(tuples, tuple);
    if (*slot)
        return *slot - 1;
    for (uint32_t i = 0; i < tuples->width; i++)
        *(uint32_t *)tp_vec_push(&tuples->items) = tuple[i];
    *slot = count + 1;
    return count;
}

uint32_t tp_keys_find(const struct tp_keys *tuples, const uint32_t *tuple)
{
    return tuples->slot_count ? *slot_of(tuples, tuple) - 1 : TP_NO_ID; /* 0 - 1 is TP_NO_ID */
}

void tp_keys_drop(struct tp_keys *tuples)
{
    struct tp_arena *arena = tuples->items.arena;
    tp_arena_drop(arena, tuples->items.data, tuples->items.capacity * sizeof(uint32_t));
    tp_arena_drop(arena, tuples->slots, (size_t)tuples->slot_count * sizeof *tuples->slots);
    tp_keys_init(tuples, arena, tuples->width);
}
