/* Stores texts and states of sequences: see interned.h. */
#include "webreport/trace/inputs/perfetto/interned.h"

#include "writer/base/keys.h"
#include "writer/base/limits.h"

enum { DENSE_GAP = 64 }; /* a table grows for an iid that is at most this much larger than its size */

void tp_interned_init(struct tp_interned *interned, struct tp_arena *arena)
{
    *interned = (struct tp_interned){.arena = arena, .last = TP_NO_ID};
    tp_strings_init(&interned->texts, arena, 0);
    interned->details = TP_VEC(arena, struct tp_interned_text);
    tp_keys_init(&interned->sparse, arena, 4);
    interned->sparse_texts = TP_VEC(arena, uint32_t);
    tp_keys_init(&interned->counters, arena, 5);
    interned->counter_texts = TP_VEC(arena, uint32_t);
    tp_keys_init(&interned->counter_devices, arena, 3);
    interned->counter_device_numbers = TP_VEC(arena, int64_t);
    tp_id_map_init(&interned->sequence_numbers, arena);
    interned->sequences = TP_VEC(arena, struct tp_sequence);
}

struct tp_sequence *tp_interned_sequence(struct tp_interned *interned, uint64_t id)
{
    if (id == interned->last_sequence && interned->sequences.count)
        return TP_AT(&interned->sequences, struct tp_sequence, interned->last_number);
    uint32_t *number = tp_id_map_find(&interned->sequence_numbers, id);
    if (number) {
        interned->last_sequence = id;
        interned->last_number = *number;
        return TP_AT(&interned->sequences, struct tp_sequence, *number);
    }
    if (interned->sequences.count == TP_MAX_PERFETTO_SEQUENCES)
        return NULL;
    interned->last_sequence = id;
    interned->last_number = (uint32_t)interned->sequences.count;
    *tp_id_map_find_or_add(&interned->sequence_numbers, id) = interned->last_number;
    struct tp_sequence *sequence = tp_vec_push(&interned->sequences);
    *sequence = (struct tp_sequence){.generation = interned->generation_count++, .thread_track = TP_NO_ID};
    for (int i = 0; i < TP_INTERNED_TABLES; i++)
        sequence->tables[i] = TP_VEC(interned->arena, uint32_t);
    sequence->clocks = TP_VEC(interned->arena, struct tp_own_clock);
    sequence->begins = TP_VEC(interned->arena, struct tp_slice_edge);
    sequence->ends = TP_VEC(interned->arena, struct tp_slice_edge);
    return sequence;
}

void tp_interned_clear(struct tp_interned *interned, struct tp_sequence *sequence)
{
    for (int i = 0; i < TP_INTERNED_TABLES; i++)
        sequence->tables[i].count = 0;
    sequence->generation = interned->generation_count++;
    sequence->has_default_clock = sequence->has_default_track = sequence->lost_packets = false;
    sequence->thread_track = TP_NO_ID;
}

uint32_t tp_interned_add_text(struct tp_interned *interned, struct tp_str text)
{
    uint32_t id = tp_strings_add(&interned->texts, text.ptr ? text : TP_STR(""));
    if (id == interned->details.count)
        *(struct tp_interned_text *)tp_vec_push(&interned->details) =
            (struct tp_interned_text){.name = TP_NO_ID,
                                      .cat = TP_NO_ID,
                                      .value = TP_NO_ID,
                                      .stack = TP_NO_ID,
                                      .next = TP_NO_ID,
                                      .registers = TP_NULL_INT,
                                      .arch = TP_NO_ID};
    return id;
}

uint32_t tp_interned_add_next(struct tp_interned *interned, struct tp_str text)
{
    uint32_t last = interned->last, id = last == TP_NO_ID ? TP_NO_ID : tp_interned_details(interned, last)->next;
    if (id == TP_NO_ID || !tp_str_equal(tp_interned_text(interned, id), text)) {
        id = tp_interned_add_text(interned, text);
        if (last != TP_NO_ID)
            tp_interned_details(interned, last)->next = id;
    }
    interned->last = id;
    return id;
}

/* Sets the value of a key in a table of sparse keys. */
static void set_sparse(struct tp_keys *keys, struct tp_vec *values, const uint32_t *key, uint32_t value)
{
    uint32_t id = tp_keys_add(keys, key);
    if (id == values->count)
        tp_vec_push(values);
    *TP_AT(values, uint32_t, id) = value;
}

uint32_t tp_interned_set(struct tp_interned *interned, struct tp_sequence *sequence, enum tp_interned_table table,
                         uint64_t iid, struct tp_str text)
{
    struct tp_vec *dense = &sequence->tables[table];
    uint32_t id = tp_interned_add_text(interned, text);
    if (iid > dense->count + DENSE_GAP) {
        const uint32_t key[] = {sequence->generation, (uint32_t)table, (uint32_t)iid, (uint32_t)(iid >> 32)};
        set_sparse(&interned->sparse, &interned->sparse_texts, key, id);
        interned->version++;
        return id;
    }
    while (dense->count <= iid)
        *(uint32_t *)tp_vec_push(dense) = TP_NO_ID;
    uint32_t *place = TP_AT(dense, uint32_t, iid);
    interned->version += *place != TP_NO_ID && *place != id;
    *place = id;
    return id;
}

uint32_t tp_interned_get(const struct tp_interned *interned, const struct tp_sequence *sequence,
                         enum tp_interned_table table, uint64_t iid)
{
    const struct tp_vec *dense = &sequence->tables[table];
    if (iid < dense->count && *TP_AT(dense, uint32_t, iid) != TP_NO_ID)
        return *TP_AT(dense, uint32_t, iid);
    const uint32_t key[] = {sequence->generation, (uint32_t)table, (uint32_t)iid, (uint32_t)(iid >> 32)};
    uint32_t id = tp_keys_count(&interned->sparse) ? tp_keys_find(&interned->sparse, key) : TP_NO_ID;
    return id == TP_NO_ID ? TP_NO_ID : *TP_AT(&interned->sparse_texts, uint32_t, id);
}

void tp_interned_set_counter(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                             uint64_t counter, struct tp_str name)
{
    const uint32_t key[] = {sequence->generation, (uint32_t)iid, (uint32_t)(iid >> 32), (uint32_t)counter,
                            (uint32_t)(counter >> 32)};
    set_sparse(&interned->counters, &interned->counter_texts, key, tp_interned_add_text(interned, name));
}

uint32_t tp_interned_counter(const struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                             uint64_t counter)
{
    const uint32_t key[] = {sequence->generation, (uint32_t)iid, (uint32_t)(iid >> 32), (uint32_t)counter,
                            (uint32_t)(counter >> 32)};
    uint32_t id = tp_keys_count(&interned->counters) ? tp_keys_find(&interned->counters, key) : TP_NO_ID;
    return id == TP_NO_ID ? TP_NO_ID : *TP_AT(&interned->counter_texts, uint32_t, id);
}

void tp_interned_set_device(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                            int64_t device)
{
    const uint32_t key[] = {sequence->generation, (uint32_t)iid, (uint32_t)(iid >> 32)};
    uint32_t id = tp_keys_add(&interned->counter_devices, key);
    if (id == interned->counter_device_numbers.count)
        tp_vec_push(&interned->counter_device_numbers);
    *TP_AT(&interned->counter_device_numbers, int64_t, id) = device;
}

int64_t tp_interned_device(const struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid)
{
    const uint32_t key[] = {sequence->generation, (uint32_t)iid, (uint32_t)(iid >> 32)};
    uint32_t id = tp_keys_count(&interned->counter_devices) ? tp_keys_find(&interned->counter_devices, key) : TP_NO_ID;
    return id == TP_NO_ID ? TP_NULL_INT : *TP_AT(&interned->counter_device_numbers, int64_t, id);
}
