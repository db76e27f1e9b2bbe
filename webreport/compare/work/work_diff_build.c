/* Compares the multisets of work of two runs. See work_diff_build.h. */
#include "webreport/compare/work/work_diff_build.h"

#include "webreport/compare/work/work_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* ---- pairs ---- */

/* A key of one side before it is paired with a key of the other side. */
struct entry {
    struct tp_count_key key;
    uint32_t number;
    uint8_t side;
};

static int compare_entries(const void *x, const void *y, const void *context)
{
    const struct entry *a = x, *b = y;
    (void)context;
    int order = tp_count_key_compare(&a->key, &b->key);
    return order ? order : (int)a->side - (int)b->side;
}

/* What of the keys is compared. */
enum compared { ALL_OF_KEY, WITHOUT_TYPES, NAMES_ONLY };

/* Returns the compared part of a key. A key of a kernel or copy keeps the name of that kernel or copy. */
static struct tp_count_key compared_part(struct tp_count_key key, enum compared compared)
{
    if (compared == NAMES_ONLY && key.kind != TP_COUNT_WAIT)
        key.dims = TP_STR("");
    if (compared == WITHOUT_TYPES && key.kind == TP_COUNT_OPERATOR)
        key.detail = TP_STR("");
    if (compared == NAMES_ONLY && key.kind != TP_COUNT_KERNEL && key.kind != TP_COUNT_COPY)
        key.detail = TP_STR("");
    return key;
}

static void find_difference_of_pair(const struct tp_work_compared *c, struct tp_work_pair *pair)
{
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_signature *side = c->side[s];
        pair->is_beyond_stored_keys |=
            side->is_cut && tp_count_key_compare(&pair->key, &side->keys[side->key_count - 1]) > 0;
    }
    pair->delta = tp_work_is_ignored(pair) ? 0 : pair->count[TP_NEW] - pair->count[TP_BASE];
}

static void pair_keys_of_sides(struct tp_work_compared *c, enum compared compared)
{
    uint32_t count = c->side[TP_BASE]->key_count + c->side[TP_NEW]->key_count, at = 0;
    struct entry *entries = tp_arena_array(c->arena, (size_t)count + 1, sizeof *entries);
    c->pairs = tp_arena_array(c->arena, (size_t)count + 1, sizeof *c->pairs);
    for (int s = 0; s < TP_SIDES; s++) {
        c->pair_of_key[s] = tp_arena_array(c->arena, (size_t)c->side[s]->key_count + 1, sizeof *c->pair_of_key[s]);
        for (uint32_t i = 0; i < c->side[s]->key_count; i++) {
            const struct tp_count_key *key = &c->side[s]->keys[i];
            entries[at++] = (struct entry){compared_part(*key, compared), i, (uint8_t)s};
        }
    }
    tp_merge_sort(c->arena, entries, count, sizeof *entries, compare_entries, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || tp_count_key_compare(&entries[i].key, &entries[i - 1].key))
            c->pairs[c->pair_count++] =
                (struct tp_work_pair){.key = entries[i].key, .is_exact = {[TP_BASE] = true, [TP_NEW] = true}};
        struct tp_work_pair *pair = &c->pairs[c->pair_count - 1];
        pair->count[entries[i].side] += entries[i].key.count;
        pair->is_exact[entries[i].side] &= entries[i].key.is_exact;
        c->pair_of_key[entries[i].side][entries[i].number] = c->pair_count - 1;
    }
    for (uint32_t i = 0; i < c->pair_count; i++)
        find_difference_of_pair(c, &c->pairs[i]);
}

/* ---- changes of kernels, copies, waits and other keys ---- */

static struct tp_work_change *add_work_change(struct tp_work_compared *c, enum tp_work_change_kind kind,
                                              struct tp_str name, int64_t delta)
{
    struct tp_work_change *change = tp_vec_push(&c->changes);
    *change = (struct tp_work_change){.kind = kind, .name = name, .delta = delta, .times = 1};
    for (int s = 0; s < TP_SIDES; s++)
        change->detail[s] = TP_STR("");
    change->dims = change->place = TP_STR("");
    return change;
}

/* Returns whether an operator with the name and shapes of `owner` changed. If so, that change explains the changes of
 * its kernels and copies. */
static bool is_owner_changed(const struct tp_work_compared *c, const struct tp_count_key *owner)
{
    for (uint32_t i = 0; i < c->pair_count && c->pairs[i].key.kind == TP_COUNT_OPERATOR; i++)
        if (c->pairs[i].delta && tp_str_equal(c->pairs[i].key.name, owner->name) &&
            tp_str_equal(c->pairs[i].key.dims, owner->dims))
            return true;
    return false;
}

/* Returns the number of additional copies with this name per step of NEW, over all operators. */
static int64_t count_additional_copies(const struct tp_work_compared *c, struct tp_str name)
{
    int64_t more = 0;
    for (uint32_t i = 0; i < c->pair_count; i++)
        if (c->pairs[i].key.kind == TP_COUNT_COPY && tp_str_equal(c->pairs[i].key.detail, name))
            more += c->pairs[i].delta;
    return more;
}

/* Adds changes for additional copies between host and device if the operator that makes the copies replaces others. */
static void add_host_copies(struct tp_work_compared *c, const struct tp_work_diff *diff,
                            const struct tp_work_pair *first, const struct tp_work_pair *end)
{
    for (const struct tp_work_pair *pair = first; pair < end; pair++) {
        bool is_host = tp_str_find(pair->key.detail, "HtoD") >= 0 || tp_str_find(pair->key.detail, "DtoH") >= 0;
        int64_t more = pair->delta > 0 && is_host ? count_additional_copies(c, pair->key.detail) : 0;
        if (more <= 0 || !tp_work_is_replacement(diff, &first->key))
            continue;
        struct tp_work_change *change =
            add_work_change(c, TP_WORK_CHANGE_COPIES, first->key.name, more < pair->delta ? more : pair->delta);
        change->detail[TP_NEW] = pair->key.detail;
        change->is_counted_by_limit = true;
    }
}

static void add_device_work(struct tp_work_compared *c, const struct tp_work_diff *diff,
                            const struct tp_work_pair *first, const struct tp_work_pair *end)
{
    bool is_kernel = first->key.kind == TP_COUNT_KERNEL, is_set = true;
    int64_t delta = 0;
    struct tp_str came = TP_STR(""), went = TP_STR("");
    for (const struct tp_work_pair *pair = first; pair < end; pair++) {
        delta += pair->delta;
        came = pair->delta > 0 && !came.len ? pair->key.detail : came;
        went = pair->delta < 0 && !went.len ? pair->key.detail : went;
        is_set &= !pair->delta || tp_str_find(pair->key.detail, "Memset") >= 0;
    }
    if (!came.len && !went.len)
        return;
    if (is_owner_changed(c, &first->key)) {
        if (!is_kernel)
            add_host_copies(c, diff, first, end);
        return;
    }
    bool is_other = delta == 0 || (is_kernel && first->key.name.len);
    enum tp_work_change_kind kind = is_other    ? is_kernel ? TP_WORK_CHANGE_ALGORITHM : TP_WORK_CHANGE_OTHER_COPY
                                    : is_kernel ? TP_WORK_CHANGE_KERNELS
                                                : TP_WORK_CHANGE_COPIES;
    struct tp_work_change *change = add_work_change(c, kind,
                                                    first->key.name.len ? first->key.name
                                                    : came.len          ? came
                                                                        : went,
                                                    delta);
    change->detail[TP_BASE] = went;
    change->detail[TP_NEW] = came;
    change->dims = first->key.dims;
    /* limits ignore memory sets, which depend on the algorithm that a library chooses */
    change->is_counted_by_limit = kind == TP_WORK_CHANGE_COPIES && delta > 0 && !is_set;
}

/* Returns the number of waits per step that the operator no longer makes by its other API calls. Another version of a
 * library can wait by another call. */
static int64_t count_removed_waits(const struct tp_work_compared *c, const struct tp_work_pair *own)
{
    int64_t gone = 0;
    for (uint32_t i = 0; i < c->pair_count; i++)
        if (c->pairs[i].key.kind == TP_COUNT_WAIT && c->pairs[i].delta < 0 &&
            tp_str_equal(c->pairs[i].key.dims, own->key.dims))
            gone -= c->pairs[i].delta;
    return gone;
}

/* Adds a change for the waits by one API call. The detail of the change is the first operator that contributes to the
 * change. */
static void add_waits(struct tp_work_compared *c, const struct tp_work_pair *first, const struct tp_work_pair *end)
{
    int64_t delta = 0;
    struct tp_str owner = TP_STR("");
    for (const struct tp_work_pair *pair = first; pair < end; pair++)
        delta += pair->delta;
    for (const struct tp_work_pair *pair = first; pair < end; pair++)
        if (!owner.len && pair->delta && (pair->delta > 0) == (delta > 0))
            owner = pair->key.dims;
    if (!delta)
        return;
    struct tp_work_change *change = add_work_change(c, TP_WORK_CHANGE_WAIT, first->key.name, delta);
    change->detail[TP_NEW] = owner;
    for (const struct tp_work_pair *pair = first; pair < end; pair++)
        change->is_counted_by_limit |= pair->delta > count_removed_waits(c, pair);
    change->is_counted_by_limit &= delta > 0;
}

static bool has_kind(const struct tp_signature *s, enum tp_count_kind kind)
{
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].kind == kind)
            return true;
    return false;
}

/* Adds the remaining changes in the order of their kinds: kernels and copies for each operator, waits for each API
 * call, and other keys. */
static void add_other_changes(struct tp_work_compared *c, const struct tp_work_diff *diff)
{
    bool has_memory = has_kind(c->side[TP_BASE], TP_COUNT_ALLOCATION) && has_kind(c->side[TP_NEW], TP_COUNT_ALLOCATION);
    const struct tp_work_pair *pairs = c->pairs;
    for (uint32_t i = 0, end; i < c->pair_count; i = end) {
        enum tp_count_kind kind = (enum tp_count_kind)pairs[i].key.kind;
        bool is_of_owner = kind == TP_COUNT_KERNEL || kind == TP_COUNT_COPY;
        for (end = i + 1; end < c->pair_count && pairs[end].key.kind == kind &&
                          (is_of_owner || kind == TP_COUNT_WAIT) &&
                          tp_str_equal(pairs[end].key.name, pairs[i].key.name) &&
                          (kind == TP_COUNT_WAIT || tp_str_equal(pairs[end].key.dims, pairs[i].key.dims));)
            end++;
        if (is_of_owner)
            add_device_work(c, diff, pairs + i, pairs + end);
        else if (kind == TP_COUNT_WAIT)
            add_waits(c, pairs + i, pairs + end);
        else if (kind == TP_COUNT_LOADER && pairs[i].delta)
            add_work_change(c, TP_WORK_CHANGE_LOADER, pairs[i].key.name, pairs[i].delta)->detail[TP_NEW] =
                pairs[i].key.dims;
        else if (kind == TP_COUNT_LAUNCH && pairs[i].delta)
            add_work_change(c, TP_WORK_CHANGE_LAUNCHES, TP_STR(""), pairs[i].delta);
        else if (kind == TP_COUNT_ALLOCATION && pairs[i].delta && has_memory)
            add_work_change(c, TP_WORK_CHANGE_ALLOCATIONS, pairs[i].key.name, pairs[i].delta);
    }
}

/* ---- merging equal changes ---- */

static bool is_same_change(const struct tp_work_change *a, const struct tp_work_change *b)
{
    return a->kind == b->kind && (a->delta < 0) == (b->delta < 0) && tp_str_equal(a->name, b->name) &&
           tp_str_equal(a->detail[0], b->detail[0]) && tp_str_equal(a->detail[1], b->detail[1]) &&
           tp_str_equal(a->place, b->place);
}

/* Returns whether b directly follows a in the same function and calls the same operator with other shapes or types,
 * as in x.double().float(). */
static bool is_conversion_after_call(const struct tp_work_change *a, const struct tp_work_change *b,
                                     const struct tp_signature *s)
{
    if (!a->call || b->call <= a->call || a->kind != b->kind || a->kind > TP_WORK_CHANGE_OPERATOR ||
        (a->delta < 0) != (b->delta < 0) || !tp_str_equal(a->name, b->name) || !tp_str_equal(a->place, b->place))
        return false;
    uint32_t next = a->call; /* index of the next call that is not inside call a->call - 1 */
    while (next < s->call_count && next - a->call < 64 && s->calls[next].depth > s->calls[a->call - 1].depth)
        next++;
    return next == b->call - 1 && s->calls[next].depth == s->calls[a->call - 1].depth;
}

/* Merges equal changes and adds up their numbers. A change of the backward pass is marked as a consequence only if
 * another change can be its cause. */
static void merge_equal_changes(struct tp_work_diff *diff, struct tp_work_compared *c)
{
    struct tp_work_change *changes = c->changes.data;
    bool has_cause = false;
    diff->changes = changes;
    for (size_t i = 0; i < c->changes.count; i++) {
        const struct tp_signature *side = c->side[changes[i].delta < 0 ? TP_BASE : TP_NEW];
        uint32_t k = 0;
        while (k < diff->count && !is_same_change(&changes[k], &changes[i]))
            k++;
        if (k == diff->count && k && is_conversion_after_call(&changes[k - 1], &changes[i], side))
            k--;
        if (k < diff->count) {
            changes[k].delta += changes[i].delta;
            changes[k].bytes = tp_sat_add(changes[k].bytes, changes[i].bytes);
            changes[k].times += changes[i].times;
        } else if (diff->count < TP_MAX_WORK_CHANGES) {
            changes[diff->count++] = changes[i];
        }
    }
    for (uint32_t i = 0; i < diff->count; i++)
        has_cause |= changes[i].kind <= TP_WORK_CHANGE_REPLACED && !changes[i].is_consequence;
    for (uint32_t i = 0; i < diff->count && !has_cause; i++)
        changes[i].is_consequence = false;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Fills nth and calls of a change. The greatest common divisor of the counts of all calls in a function is the
 * number of its passes per step. Keys with the same name are adjacent. */
static void set_call_number(struct tp_work_change *change, const struct tp_signature *s, struct tp_arena *arena)
{
    if (!change->call || !change->place.len)
        return;
    uint32_t lane = 0, passes = 0, of_name = 0;
    const struct tp_count_call *like = &s->calls[change->call - 1];
    uint32_t *count = tp_arena_array(arena, s->key_count, sizeof *count);
    while (s->lanes[lane + 1] < change->call)
        lane++;
    for (const struct tp_count_call *call = s->calls + s->lanes[lane]; call < s->calls + s->lanes[lane + 1]; call++) {
        bool is_there = call->place == like->place && call->depth == like->depth;
        count[call->key] += is_there;
        change->nth += is_there && call < like && tp_str_equal(s->keys[call->key].name, change->name);
    }
    for (uint32_t k = 0, end; k < s->key_count; k = end) {
        uint32_t calls = 0;
        for (end = k; end < s->key_count && tp_str_equal(s->keys[end].name, s->keys[k].name); end++)
            calls += count[end];
        passes = calls && !tp_count_is_backward(s->keys[k].name) ? common_divisor(calls, passes) : passes;
        of_name = tp_str_equal(s->keys[k].name, change->name) && s->keys[k].kind == TP_COUNT_OPERATOR ? calls : of_name;
    }
    tp_arena_free_item(arena, count, s->key_count * sizeof *count);
    change->calls = of_name / (passes ? passes : 1);
    change->nth = change->calls ? change->nth % change->calls : 0;
}

/* Sets the place of an added wait to the place of the operator that waits, if the operator was also added. */
static void find_places_of_waits(struct tp_work_diff *diff)
{
    for (uint32_t i = 0; i < diff->count; i++)
        for (uint32_t k = 0; k < diff->count && diff->changes[i].kind == TP_WORK_CHANGE_WAIT; k++) {
            const struct tp_work_change *cause = &diff->changes[k];
            if (cause->kind >= TP_WORK_CHANGE_SHAPE || cause->delta <= 0 ||
                !tp_str_equal(cause->name, diff->changes[i].detail[TP_NEW]))
                continue;
            diff->changes[i].place = diff->changes[i].place.len ? diff->changes[i].place : cause->place;
            diff->changes[i].is_consequence = true;
        }
}

/* ---- all ---- */

/* What the operators of a signature show. */
struct shown {
    bool shapes, types;
};

static struct shown find_shown_data(const struct tp_signature *s)
{
    struct shown shown = {false, false};
    for (uint32_t i = 0; i < s->key_count; i++) {
        bool is_operator = s->keys[i].kind == TP_COUNT_OPERATOR;
        shown.shapes |= is_operator && s->keys[i].dims.len;
        shown.types |= is_operator && s->keys[i].detail.len;
    }
    return shown;
}

static bool has_changed_operators(const struct tp_work_compared *c)
{
    for (uint32_t i = 0; i < c->pair_count && c->pairs[i].key.kind == TP_COUNT_OPERATOR; i++)
        if (c->pairs[i].delta)
            return true;
    return false;
}

void tp_work_diff_build(struct tp_work_diff *diff, const struct tp_signature *base, const struct tp_signature *other,
                        bool has_names_only, struct tp_arena *arena)
{
    struct tp_work_compared c = {.arena = arena,
                                 .side = {[TP_BASE] = base, [TP_NEW] = other},
                                 .changes = TP_VEC(arena, struct tp_work_change),
                                 .calls = TP_VEC(arena, struct tp_work_group_call),
                                 .waits = TP_VEC(arena, struct tp_work_group_call)};
    *diff = (struct tp_work_diff){.is_known = base->hash && other->hash};
    if (!diff->is_known)
        return;
    diff->is_aligned = true;
    diff->are_unfreed_blocks_known = base->are_unfreed_blocks_known && other->are_unfreed_blocks_known;
    diff->is_same = base->hash == other->hash;
    struct shown of_base = find_shown_data(base), of_other = find_shown_data(other);
    bool has_types_on_one_side = of_base.types != of_other.types;
    diff->has_names_only = has_names_only || of_base.shapes != of_other.shapes;
    if (diff->is_same)
        return;
    pair_keys_of_sides(&c, diff->has_names_only ? NAMES_ONLY : has_types_on_one_side ? WITHOUT_TYPES : ALL_OF_KEY);
    for (uint32_t i = 0; i < c.pair_count; i++)
        diff->varying_key_count += tp_work_is_ignored(&c.pairs[i]);
    if (has_changed_operators(&c)) {
        diff->is_aligned = tp_work_match_calls(&c);
        if (!c.changes.count)
            tp_work_add_unplaced_counts(&c);
        tp_work_join_renamed_operators(&c);
        tp_work_replace_groups_by_changes(&c, diff);
        tp_work_exclude_replacements(c.changes.data, c.changes.count);
    }
    add_other_changes(&c, diff);
    tp_work_add_unfreed_memory(&c);
    merge_equal_changes(diff, &c);
    tp_work_merge_by_name(diff);
    for (uint32_t i = 0; i < diff->count; i++)
        set_call_number(&diff->changes[i], c.side[diff->changes[i].delta < 0 ? TP_BASE : TP_NEW], arena);
    find_places_of_waits(diff);
    diff->is_same = !diff->count && !diff->has_names_only && !has_types_on_one_side;
}
