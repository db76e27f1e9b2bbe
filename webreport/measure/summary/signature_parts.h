/* Declares types and functions that several signature_*.c files share. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PARTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_PARTS_H

#include "webreport/measure/summary/summary_parts.h"
#include "writer/base/sort.h"

/* Number of ids in a key: the kind of work, and three ids of the trace whose meaning depends on the kind. */
enum { TP_COUNT_IDS = 4 };

/* Assigns numbers to the keys of work during counting. Programs repeat themselves, so the key that followed the
 * previous key at its last occurrence is tried first. Most events then need no hash. */
struct tp_count_keys {
    struct tp_keys keys;  /* the keys, each with TP_COUNT_IDS ids */
    struct tp_vec follow; /* for each key: the key that followed this key at its last occurrence; elements: uint32_t */
    uint32_t last;
};

void tp_count_keys_init(struct tp_count_keys *keys, struct tp_arena *arena);

static inline uint32_t tp_count_keys_add(struct tp_count_keys *keys, const uint32_t ids[TP_COUNT_IDS])
{
    uint32_t *follow = TP_AT(&keys->follow, uint32_t, keys->last), guess = *follow;
    if (guess < tp_keys_count(&keys->keys) &&
        memcmp(tp_keys_get(&keys->keys, guess), ids, TP_COUNT_IDS * sizeof *ids) == 0)
        return keys->last = guess;
    uint32_t key = tp_keys_add(&keys->keys, ids);
    *follow = key;
    if (key == keys->follow.count)
        *(uint32_t *)tp_vec_push(&keys->follow) = TP_NO_ID;
    return keys->last = key;
}

/* Returns the key of an operator. is_loading: the operator is inside a range of the data loader. */
static inline uint32_t tp_count_operator_key(struct tp_count_keys *keys, const struct tp_trace *trace,
                                             const struct tp_event *e, bool is_loading)
{
    const struct tp_host_detail *detail = &trace->hosts[e->detail];
    return tp_count_keys_add(keys, (uint32_t[TP_COUNT_IDS]){is_loading ? TP_COUNT_LOADER : TP_COUNT_OPERATOR,
                                                            tp_frames_label(&trace->frames, e->name), detail->dims,
                                                            detail->types});
}

/* Returns the most common of the counts by step; if several counts are equally common, the count that occurs first.
 * *is_exact receives whether nearly all steps have this count. `sorted`: scratch memory for `steps` items. */
int64_t tp_count_most_common(const uint32_t *by_step, struct tp_keyed *sorted, uint32_t steps, bool *is_exact,
                             struct tp_arena *scratch);

/* Returns a copy of a text in the signature; a long text is shortened and ends in a hash. */
struct tp_str tp_count_intern_text(struct tp_summary_work *work, struct tp_str text);

/* The places of a signature during counting. A place is the text of the functions or modules around an operator or
 * allocation. */
struct tp_count_places {
    struct tp_summary_work *work;
    struct tp_strings texts;       /* text of each place, indexed by the place's number; texts[0] is "" */
    uint32_t last_enclosing_event; /* event that enclosed the previous operator or allocation */
    uint32_t last_place_of_operator;
    bool is_last_user_code;
};

void tp_count_places_init(struct tp_count_places *places, struct tp_summary_work *work);

/* Returns the number of the place of an event at `at` (ns). `inside`: the innermost event around this event, or
 * TP_NO_ID. Sets is_last_user_code if the place is a user function. */
uint32_t tp_count_find_place(struct tp_count_places *places, uint32_t inside, int64_t at);

/* Fills the loader functions of the signature from the steps first_step to end_step - 1. */
void tp_signature_loader_build(struct tp_summary_work *work, uint32_t first_step, uint32_t end_step);

/* Adds `kept`, the blocks that were not freed, to the hash of the signature. */
void tp_signature_hash_unfreed(struct tp_signature *signature);

/* Fills `kept` with the blocks of the steps first_step to end_step - 1 that were not freed. */
void tp_signature_add_unfreed_blocks(struct tp_summary_work *work, uint32_t first_step, uint32_t end_step);

/* Fills places, calls and lanes of the signature from the operators of a step. number: for each key of `keys`, the
 * index of the key in the signature. */
void tp_signature_calls_build(struct tp_summary_work *work, struct tp_count_keys *keys, const uint32_t *number,
                              uint32_t step);

#endif
