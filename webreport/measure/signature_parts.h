/* What the files that make a signature share. */
#ifndef TP_WEBREPORT_MEASURE_SIGNATURE_PARTS_H
#define TP_WEBREPORT_MEASURE_SIGNATURE_PARTS_H

#include "webreport/measure/summary_parts.h"

/* A key of work as ids of the trace: kind, and three ids that depend on it. */
enum { TP_COUNT_IDS = 4 };

/* Keys of work on their way. A program does the same again and again: the key that followed a key the last time is
 * looked at first, so that most events need no hash. */
struct tp_count_keys {
    struct tp_keys keys;  /* TP_COUNT_IDS wide */
    struct tp_vec follow; /* uint32_t by key: the key that came after it */
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

/* The key of an operator; is_loading: inside a range of the data loader. */
static inline uint32_t tp_count_operator_key(struct tp_count_keys *keys, const struct tp_trace *trace,
                                             const struct tp_event *e, bool is_loading)
{
    const struct tp_host_detail *detail = &trace->hosts[e->detail];
    return tp_count_keys_add(keys, (uint32_t[TP_COUNT_IDS]){is_loading ? TP_COUNT_LOADER : TP_COUNT_OPERATOR,
                                                            tp_frames_label(&trace->frames, e->name), detail->dims,
                                                            detail->types});
}

/* Fills places, calls and lanes from the operators of a step. number: of a key of `keys` in the signature. */
void tp_signature_calls_build(struct tp_summary_work *work, struct tp_count_keys *keys, const uint32_t *number,
                              uint32_t step);

#endif
