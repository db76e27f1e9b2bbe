/* Makes the nodes of pickled values, and stores equal nodes once: see pickle_machine.h. */
#include <string.h>

#include "webreport/trace/pickle/pickle_machine.h"

enum { FIRST_SLOTS = 1 << 12, LONGEST_SHARED_PART = 512 };

/* Doubles the table and adds all nodes again. */
static void grow(struct tp_pickle_table *table, struct tp_arena *arena)
{
    struct tp_pickle_table old = *table;
    table->slot_count = old.slot_count ? old.slot_count * 2 : FIRST_SLOTS;
    table->slots = tp_arena_array(arena, table->slot_count, sizeof *table->slots);
    for (uint32_t i = 0; i < old.slot_count; i++) {
        if (!old.slots[i].node)
            continue;
        uint32_t at = (uint32_t)old.slots[i].hash & (table->slot_count - 1);
        while (table->slots[at].node)
            at = (at + 1) & (table->slot_count - 1);
        table->slots[at] = old.slots[i];
    }
    if (old.slots)
        tp_arena_free_item(arena, old.slots, old.slot_count * sizeof *old.slots);
}

typedef bool is_equal_node(const void *node, const void *wanted, uint32_t count);

/* Returns the slot of a node that equals `wanted`, or a free slot with its hash set. */
static struct tp_pickle_slot *find_slot(struct tp_pickle_table *table, struct tp_arena *arena, uint64_t hash,
                                        is_equal_node *is_equal, const void *wanted, uint32_t count)
{
    if (table->count >= table->slot_count / 2)
        grow(table, arena);
    uint32_t at = (uint32_t)hash & (table->slot_count - 1);
    struct tp_pickle_slot *slot = &table->slots[at];
    while (slot->node && !(slot->hash == hash && is_equal(slot->node, wanted, count))) {
        at = (at + 1) & (table->slot_count - 1);
        slot = &table->slots[at];
    }
    slot->hash = hash;
    return slot;
}

static bool is_equal_part(const void *node, const void *wanted, uint32_t count)
{
    const struct tp_pickle_part *part = node;
    return part->count == count && memcmp(part->items, wanted, count * sizeof(tp_pickle_value)) == 0;
}

static struct tp_pickle_part *make_part(struct tp_arena *arena, const tp_pickle_value *items, uint32_t count)
{
    struct tp_pickle_part *part = tp_arena_alloc(arena, sizeof *part + count * sizeof *items);
    part->count = count;
    memcpy(part->items, items, count * sizeof *items);
    return part;
}

struct tp_pickle_part *tp_pickle_add_part(struct tp_pickle_machine *machine, const tp_pickle_value *items,
                                          uint32_t count)
{
    struct tp_arena *arena = machine->pickle->arena;
    if (count > LONGEST_SHARED_PART)
        return make_part(arena, items, count);
    uint64_t hash = tp_hash_bytes(items, count * sizeof *items);
    struct tp_pickle_slot *slot = find_slot(&machine->parts, arena, hash, is_equal_part, items, count);
    if (!slot->node) {
        slot->node = make_part(arena, items, count);
        machine->parts.count++;
    }
    return slot->node;
}

static bool has_keys(const struct tp_pickle_shape *shape, const tp_pickle_value *pairs, uint32_t count)
{
    uint32_t i = 0;
    if (shape->count != count)
        return false;
    while (i < count && shape->keys[i] == tp_pickle_text_id(pairs[2 * (size_t)i]))
        i++;
    return i == count;
}

static bool is_equal_shape(const void *node, const void *wanted, uint32_t count)
{
    return has_keys(node, wanted, count);
}

const struct tp_pickle_shape *tp_pickle_add_shape(struct tp_pickle_machine *machine, const tp_pickle_value *pairs,
                                                  uint32_t count)
{
    struct tp_arena *arena = machine->pickle->arena;
    uint64_t hash = count;
    if (machine->last_shape && has_keys(machine->last_shape, pairs, count))
        return machine->last_shape;
    for (uint32_t i = 0; i < count; i++)
        hash = tp_hash_mix(hash ^ tp_pickle_text_id(pairs[2 * (size_t)i]), 0x9E3779B97F4A7C15ull);
    struct tp_pickle_slot *slot = find_slot(&machine->shapes, arena, hash, is_equal_shape, pairs, count);
    if (!slot->node) {
        struct tp_pickle_shape *shape = tp_arena_alloc(arena, sizeof *shape + count * sizeof *shape->keys);
        shape->id = (uint32_t)machine->pickle->shapes.count;
        shape->count = count;
        for (uint32_t i = 0; i < count; i++)
            shape->keys[i] = tp_pickle_text_id(pairs[2 * (size_t)i]);
        *(struct tp_pickle_shape **)tp_vec_push(&machine->pickle->shapes) = shape;
        slot->node = shape;
        machine->shapes.count++;
    }
    machine->last_shape = slot->node;
    return slot->node;
}
