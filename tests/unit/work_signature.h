/* Makes signatures of a step from a list of operators. Each test program includes this file once, so everything is
 * static. */
#ifndef TP_TESTS_UNIT_WORK_SIGNATURE_H
#define TP_TESTS_UNIT_WORK_SIGNATURE_H

#include "one_arena.h"
#include "webreport/compare/two/work_sides.h"

struct op {
    const char *name, *dims, *types;
    uint32_t depth;
    const char *place;
};

/* Sorts the keys as signatures require. */
static void sort_keys(struct tp_signature *s)
{
    for (uint32_t i = 1; i < s->key_count; i++)
        for (uint32_t k = i; k && tp_count_key_compare(&s->keys[k], &s->keys[k - 1]) < 0; k--) {
            struct tp_count_key key = s->keys[k];
            s->keys[k] = s->keys[k - 1];
            s->keys[k - 1] = key;
            for (uint32_t c = 0; c < s->call_count; c++)
                s->calls[c].key = s->calls[c].key == k ? k - 1 : s->calls[c].key == k - 1 ? k : s->calls[c].key;
        }
}

static struct tp_signature make_signature(const struct op *ops, size_t count)
{
    struct tp_signature s = {.steady_count = 8, .hash = 1, .lane_count = 1, .place_count = 1};
    s.keys = tp_arena_array(&arena, count + 8, sizeof *s.keys);
    s.calls = tp_arena_array(&arena, count, sizeof *s.calls);
    s.places = tp_arena_array(&arena, count + 1, sizeof *s.places);
    s.lanes = tp_arena_array(&arena, 2, sizeof *s.lanes);
    s.places[0] = TP_STR("");
    s.call_count = s.lanes[1] = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct tp_str texts[] = {tp_str_of(ops[i].name), tp_str_of(ops[i].dims), tp_str_of(ops[i].types)};
        uint32_t key = 0;
        while (key < s.key_count &&
               !(tp_str_equal(s.keys[key].name, texts[0]) && tp_str_equal(s.keys[key].dims, texts[1]) &&
                 tp_str_equal(s.keys[key].detail, texts[2])))
            key++;
        if (key == s.key_count)
            s.keys[s.key_count++] = (struct tp_count_key){
                .name = texts[0], .dims = texts[1], .detail = texts[2], .is_exact = true, .kind = TP_COUNT_OPERATOR};
        s.keys[key].count++;
        uint32_t place = 0;
        while (ops[i].place && place < s.place_count && !tp_str_equal(s.places[place], tp_str_of(ops[i].place)))
            place++;
        if (place == s.place_count)
            s.places[s.place_count++] = tp_str_of(ops[i].place);
        s.calls[i] = (struct tp_count_call){key, ops[i].depth, place};
    }
    sort_keys(&s);
    for (uint32_t i = 0; i < s.key_count; i++)
        s.hash += (uint64_t)s.keys[i].count * tp_hash_bytes(s.keys[i].name.ptr, s.keys[i].name.len) +
                  tp_hash_bytes(s.keys[i].dims.ptr, s.keys[i].dims.len) * 3 +
                  tp_hash_bytes(s.keys[i].detail.ptr, s.keys[i].detail.len) * 5;
    return s;
}

#define STEP "train.py(12): train_step"
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define LINEAR                                                                                                         \
    {"aten::linear", "[[4, 8], [8, 8]]", "float, float", 0, STEP},                                                     \
    {                                                                                                                  \
        "aten::mm", "[[4, 8], [8, 8]]", "float, float", 1, STEP                                                        \
    }
#define RELU                                                                                                           \
    {                                                                                                                  \
        "aten::relu", "[[4, 8]]", "float", 0, STEP                                                                     \
    }
#define LOSS                                                                                                           \
    {                                                                                                                  \
        "aten::sum", "[[4, 8]]", "float", 0, STEP                                                                      \
    }

static const struct op base_ops[] = {LINEAR, RELU, LINEAR, RELU, LOSS};

#endif
