/* Renumbers ids: see renumber.h. */
#include "writer/base/renumber.h"

#include "writer/base/table.h" /* for TP_NULL_INT */

void tp_ids_init(struct tp_ids *ids, struct tp_arena *arena, int64_t lowest, int64_t highest, uint64_t expected)
{
    memset(ids, 0, sizeof *ids);
    ids->lowest = lowest;
    uint64_t range = lowest <= highest ? (uint64_t)highest - (uint64_t)lowest : 0;
    /* the factor is 16, because a trace may use ids of this range for other things, too */
    if (range < 16 * expected + 1024) {
        ids->direct_entry_count = range + 1;
        ids->number_by_id = tp_arena_array(arena, ids->direct_entry_count, sizeof *ids->number_by_id);
    } else {
        tp_keys_init(&ids->keys, arena, 2);
    }
}

uint64_t tp_ids_init_for_items(struct tp_ids *ids, struct tp_arena *arena, uint32_t count, tp_id_of *id_of,
                               const void *context)
{
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t id = id_of(context, i);
        if (id == TP_NULL_INT)
            continue;
        lowest = id < lowest ? id : lowest;
        highest = id > highest ? id : highest;
        found++;
    }
    tp_ids_init(ids, arena, lowest, highest, found);
    return found;
}

uint32_t tp_ids_add(struct tp_ids *ids, int64_t value)
{
    if (!ids->number_by_id) {
        uint32_t id = tp_keys_pair(&ids->keys, (uint32_t)value, (uint32_t)((uint64_t)value >> 32));
        ids->count = tp_keys_count(&ids->keys);
        return id;
    }
    uint32_t *slot = &ids->number_by_id[(uint64_t)value - (uint64_t)ids->lowest];
    if (!*slot)
        *slot = ++ids->count;
    return *slot - 1;
}

uint32_t tp_ids_find(const struct tp_ids *ids, int64_t value)
{
    if (!ids->number_by_id)
        return tp_keys_find(&ids->keys, (uint32_t[]){(uint32_t)value, (uint32_t)((uint64_t)value >> 32)});
    uint64_t at = (uint64_t)value - (uint64_t)ids->lowest;
    return value >= ids->lowest && at < ids->direct_entry_count ? ids->number_by_id[at] - 1 : TP_NO_ID;
}

void tp_ids_release(struct tp_ids *ids, struct tp_arena *arena)
{
    tp_arena_free_item(arena, ids->number_by_id, ids->direct_entry_count * sizeof *ids->number_by_id);
    ids->number_by_id = NULL;
    ids->direct_entry_count = 0;
}
