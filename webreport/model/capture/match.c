/* Compares a section with the operations of a replay (docs/definitions.md, section 33). */
#include "webreport/model/capture/parts.h"
#include "writer/base/align.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* Of the operations of the longer side, at least this share, in tenths, must have a partner. */
enum { LEAST_TENTHS = 9 };

struct pairing {
    struct tp_joiner *joiner;
    const struct tp_capture_section *section;
    const uint32_t *keys; /* keys of the section's calls */
    const struct tp_key_sequence *replay;
    struct tp_join_match *match;
    struct tp_vec pairs; /* elements: struct tp_join_pair */
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool is_enough(uint32_t part, uint32_t whole)
{
    return (uint64_t)part * 10 >= (uint64_t)whole * LEAST_TENTHS;
}

static void refuse(struct pairing *p, enum tp_join_reason reason, uint32_t first, uint32_t second)
{
    p->match->reason = reason;
    p->match->numbers[0] = first;
    p->match->numbers[1] = second;
}

static void add_pair(struct pairing *p, uint32_t call, uint32_t operation, enum tp_join_how how)
{
    *(struct tp_join_pair *)tp_vec_push(&p->pairs) = (struct tp_join_pair){call, operation, (uint8_t)how};
}

/* ---- kernels without names ---- */

/* A place in an operator: the operator's name, shapes, and the number of the call within the operator, with the key of
 * the kernel that the replay has there. */
struct place_key {
    uint32_t name, dims, number, key;
};

static int compare_places(const void *x, const void *y, const void *context)
{
    const uint32_t *a = x, *b = y;
    (void)context;
    for (unsigned i = 0; i < sizeof(struct place_key) / sizeof *a; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Returns the places of the section's calls that have an operator, sorted. */
static struct tp_vec list_places(const struct pairing *p)
{
    struct tp_joiner *joiner = p->joiner;
    const struct tp_model *model = joiner->model;
    struct tp_vec places = TP_VEC(joiner->arena, struct place_key);
    struct tp_id_map calls; /* number of calls so far in each operator */
    tp_id_map_init(&calls, joiner->arena);
    for (uint32_t i = 0; i < p->section->call_count; i++) {
        uint32_t op = joiner->places[p->section->first_call + i].op;
        if (op == TP_NO_ID)
            continue;
        const struct tp_event *e = tp_operator_work_event(model, op);
        uint32_t *number = tp_id_map_find_or_add(&calls, op);
        *number += 1; /* from TP_NO_ID, so that the first call has the number 0 */
        *(struct place_key *)tp_vec_push(&places) =
            (struct place_key){e->name, model->trace->hosts[e->detail].dims, *number, p->replay->keys[i]};
    }
    tp_id_map_release(&calls);
    tp_merge_sort(joiner->arena, places.data, places.count, sizeof(struct place_key), compare_places, NULL);
    return places;
}

/* Returns how many places have the most frequent kernel among all equal places. Sorted places are in runs of equal
 * places, and within them in runs of equal kernels. */
static uint32_t count_consistent(const struct tp_vec *places)
{
    const struct place_key *items = places->data;
    uint32_t sum = 0;
    for (size_t first = 0, end; first < places->count; first = end) {
        uint32_t most = 0, run = 0;
        for (end = first; end < places->count && memcmp(&items[first], &items[end], 3 * sizeof(uint32_t)) == 0; end++) {
            run = end > first && items[end].key == items[end - 1].key ? run + 1 : 1;
            most = larger(most, run);
        }
        sum += most;
    }
    return sum;
}

static void match_by_place(struct pairing *p)
{
    uint32_t n = p->section->call_count, differing = 0;
    if (n != p->replay->count) {
        refuse(p, TP_JOIN_COUNTS_DIFFER, n, p->replay->count);
        return;
    }
    if (!p->replay->is_ordered) {
        refuse(p, TP_JOIN_NO_ORDER, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        differing += p->keys[i] != TP_KEY_UNKNOWN && p->keys[i] != p->replay->keys[i];
    struct tp_vec places = list_places(p);
    uint32_t consistent = count_consistent(&places), whole = (uint32_t)places.count;
    if ((uint64_t)differing * 10 > n || !is_enough(consistent, whole)) {
        refuse(p, TP_JOIN_INCONSISTENT, differing, consistent);
        p->match->numbers[2] = whole;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (p->keys[i] == TP_KEY_UNKNOWN || p->keys[i] == p->replay->keys[i])
            add_pair(p, i, i, TP_JOIN_PLACE);
}

/* ---- kernels with names ---- */

/* Returns the sum over all keys of the smaller of both counts: no pairing can have more pairs. */
static uint32_t most_possible_pairs(const struct pairing *p)
{
    uint32_t *counts = p->joiner->counts, common = 0;
    for (uint32_t i = 0; i < p->section->call_count; i++)
        counts[p->keys[i]]++;
    for (uint32_t i = 0; i < p->replay->count; i++)
        if (counts[p->replay->keys[i]]) {
            counts[p->replay->keys[i]]--;
            common++;
        }
    for (uint32_t i = 0; i < p->section->call_count; i++)
        counts[p->keys[i]] = 0;
    return common;
}

/* Items of one side that have no partner, with their keys. */
struct unpaired {
    uint32_t key, item;
};

static int compare_unpaired(const void *x, const void *y, const void *context)
{
    const struct unpaired *a = x, *b = y;
    (void)context;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static struct tp_vec list_unpaired(const struct pairing *p, const uint32_t *keys, uint32_t count, bool is_replay)
{
    struct tp_vec items = TP_VEC(p->joiner->arena, struct unpaired);
    size_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_join_pair *pair = TP_AT(&p->pairs, struct tp_join_pair, next);
        if (next < p->pairs.count && (is_replay ? pair->operation : pair->call) == i)
            next++;
        else
            *(struct unpaired *)tp_vec_push(&items) = (struct unpaired){keys[i], i};
    }
    tp_merge_sort(p->joiner->arena, items.data, items.count, sizeof(struct unpaired), compare_unpaired, NULL);
    return items;
}

static size_t end_of_key(const struct tp_vec *items, size_t at)
{
    size_t end = at;
    while (end < items->count && TP_AT(items, struct unpaired, end)->key == TP_AT(items, struct unpaired, at)->key)
        end++;
    return end;
}

/* Joins what the order left over: the items of each key, if both sides have equally many of them. */
static void match_rest_by_name(struct pairing *p)
{
    struct tp_vec calls = list_unpaired(p, p->keys, p->section->call_count, false);
    struct tp_vec operations = list_unpaired(p, p->replay->keys, p->replay->count, true);
    for (size_t i = 0, j = 0; i < calls.count && j < operations.count;) {
        const struct unpaired *a = TP_AT(&calls, struct unpaired, i), *b = TP_AT(&operations, struct unpaired, j);
        size_t end_i = end_of_key(&calls, i), end_j = end_of_key(&operations, j);
        if (a->key == b->key && end_i - i == end_j - j)
            for (size_t k = 0; k < end_i - i; k++)
                add_pair(p, a[k].item, b[k].item, TP_JOIN_NAME);
        i = a->key <= b->key ? end_i : i;
        j = a->key >= b->key ? end_j : j;
    }
}

static void match_by_name(struct pairing *p)
{
    uint32_t n = p->section->call_count, m = p->replay->count, whole = larger(n, m);
    uint32_t limit = whole / 5 + 1 < TP_MAX_CAPTURE_EDITS ? whole / 5 + 1 : TP_MAX_CAPTURE_EDITS;
    p->match->share_part = most_possible_pairs(p);
    if (!is_enough(p->match->share_part, whole)) {
        refuse(p, TP_JOIN_OTHER_NAMES, p->match->share_part, whole);
        return;
    }
    struct tp_vec aligned = TP_VEC(p->joiner->arena, struct tp_align_pair);
    p->joiner->steps += (uint64_t)limit * limit;
    tp_align(&aligned, (struct tp_align_items){p->keys, n}, (struct tp_align_items){p->replay->keys, m}, limit);
    for (size_t i = 0; i < aligned.count; i++) {
        const struct tp_align_pair *pair = TP_AT(&aligned, struct tp_align_pair, i);
        add_pair(p, pair->a, pair->b, TP_JOIN_ORDER);
    }
    size_t in_order = p->pairs.count;
    if (!p->replay->is_ordered && in_order < (n < m ? n : m))
        match_rest_by_name(p);
    p->match->by_name = (uint32_t)(p->pairs.count - in_order);
}

/* ---- one comparison ---- */

static void compare(struct pairing *p)
{
    struct tp_join_match *match = p->match;
    bool has_names = true;
    match->share_whole = larger(p->section->call_count, p->replay->count);
    for (uint32_t i = 0; i < p->section->call_count && has_names; i++)
        has_names = p->keys[i] != TP_KEY_UNKNOWN;
    p->joiner->steps += match->share_whole;
    if (p->joiner->steps > TP_MAX_CAPTURE_STEPS)
        refuse(p, TP_JOIN_TOO_MUCH_WORK, 0, 0);
    else if (has_names)
        match_by_name(p);
    else
        match_by_place(p);
    if (match->reason)
        return;
    match->share_part = (uint32_t)p->pairs.count;
    if (is_enough(match->share_part, match->share_whole)) {
        match->pairs = p->pairs.data;
        match->count = match->share_part;
    } else {
        refuse(p, TP_JOIN_TOO_FEW, match->share_part, match->share_whole);
    }
}

const struct tp_join_match *tp_join_match(struct tp_joiner *joiner, uint32_t section, uint32_t sequence)
{
    uint32_t *known = tp_id_map_find_or_add(&joiner->matches, tp_id_pair(section, sequence));
    if (*known == TP_NO_ID) {
        struct tp_join_match match = {0};
        struct pairing p = {.joiner = joiner,
                            .section = &joiner->captures->sections[section],
                            .replay = TP_AT(&joiner->sequences, struct tp_key_sequence, sequence),
                            .match = &match,
                            .pairs = TP_VEC(joiner->arena, struct tp_join_pair)};
        p.keys = joiner->call_keys + p.section->first_call;
        *known = (uint32_t)joiner->match_items.count;
        compare(&p);
        *(struct tp_join_match *)tp_vec_push(&joiner->match_items) = match;
    }
    return TP_AT(&joiner->match_items, struct tp_join_match, *known);
}
