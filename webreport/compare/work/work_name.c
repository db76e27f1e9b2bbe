/* Finds the names and places of changed operators. See work_parts.h. Of a differing block, only the outermost
 * operators are reported, because changes of inner operators follow from them. */
#include "webreport/compare/work/work_align.h"
#include "webreport/compare/work/work_parts.h"

/* ---- blocks ---- */

/* State of the comparison of one thread: its calls on both sides, and the current block. */
struct naming {
    struct tp_work_compared *c;
    const struct tp_count_call *lane[TP_SIDES];
    uint32_t count[TP_SIDES];
    struct tp_align_block block;
    struct tp_strings *names;
};

static uint32_t pair_index_of_call(const struct naming *n, int side, uint32_t call)
{
    return n->c->pair_of_key[side][n->lane[side][call].key];
}

static const struct tp_work_pair *pair_of_call(const struct naming *n, int side, uint32_t call)
{
    return &n->c->pairs[pair_index_of_call(n, side, call)];
}

static struct tp_str call_name_at(const struct naming *n, int side, int64_t call)
{
    return call < 0 || call >= n->count[side] ? TP_STR("") : pair_of_call(n, side, (uint32_t)call)->key.name;
}

static struct tp_str place_of_call(const struct naming *n, int side, uint32_t call)
{
    return n->c->side[side]->places[n->lane[side][call].place];
}

/* Returns 1 + index of a thread's call among all calls of the side's signature. */
static uint32_t number_of_call_in_signature(const struct naming *n, int side, uint32_t call)
{
    return (uint32_t)(n->lane[side] - n->c->side[side]->calls) + call + 1;
}

static struct tp_work_change *add_call_change(const struct naming *n, enum tp_work_change_kind kind, int side,
                                              uint32_t call)
{
    const struct tp_work_pair *pair = pair_of_call(n, side, call);
    struct tp_work_change *change = tp_vec_push(&n->c->changes);
    *change = (struct tp_work_change){.kind = kind,
                                      .name = pair->key.name,
                                      .detail = {pair->key.dims, pair->key.detail},
                                      .place = place_of_call(n, side, call),
                                      .times = 1,
                                      .call = number_of_call_in_signature(n, side, call),
                                      .is_consequence = tp_count_is_backward(pair->key.name)};
    if (!change->place.len) {
        const struct tp_align_block *b = &n->block;
        change->around[0] = call_name_at(n, side, (int64_t)(side == TP_BASE ? b->a : b->b) - 1);
        change->around[1] = call_name_at(n, side, side == TP_BASE ? b->end_in_a : b->end_in_b);
    }
    return change;
}

/* Returns the number of additional operators with this name per step of NEW, regardless of shapes and types. */
static int64_t additional_calls(const struct tp_work_compared *c, struct tp_str name)
{
    int64_t more = 0;
    for (uint32_t i = 0; i < c->pair_count && c->pairs[i].key.kind == TP_COUNT_OPERATOR; i++)
        more += tp_str_equal(c->pairs[i].key.name, name) ? c->pairs[i].delta : 0;
    return more;
}

/* Returns whether a call on lists of tensors calls only operators that are no more frequent than before. For example,
 * x._foreach_add_() on the CPU calls add_ for each tensor. */
static bool is_list_of_known_operator(const struct naming *n, int side, uint32_t call)
{
    const struct tp_count_call *lane = n->lane[side];
    uint32_t known = 0;
    if (!tp_str_starts(pair_of_call(n, side, call)->key.dims, "[[["))
        return false;
    for (uint32_t i = call + 1; i < n->count[side] && lane[i].depth > lane[call].depth; i++, known++)
        if (additional_calls(n->c, pair_of_call(n, side, i)->key.name) > 0 ||
            tp_work_is_ignored(pair_of_call(n, side, i)))
            return false;
    return known >= 2;
}

/* Adds a change for an added or removed operator. Does nothing for an operator that only moved within the step or
 * whose count is ignored. */
static void add_added_or_removed(const struct naming *n, int side, uint32_t call)
{
    const struct tp_work_pair *pair = pair_of_call(n, side, call);
    int64_t sign = side == TP_NEW ? 1 : -1;
    if (pair->delta == 0 || (pair->delta > 0) != (sign > 0))
        return;
    struct tp_work_change *change = add_call_change(n, tp_work_kind_of_operator(pair->key.name), side, call);
    change->delta = sign;
    change->is_counted_by_limit = sign > 0 && !is_list_of_known_operator(n, side, call);
}

/* Adds the change of shapes or types between two corresponding operators with the same name. */
static void add_shape_or_type_change(const struct naming *n, uint32_t old_call, uint32_t new_call)
{
    const struct tp_work_pair *old = pair_of_call(n, TP_BASE, old_call), *now = pair_of_call(n, TP_NEW, new_call);
    bool is_shape = !tp_str_equal(old->key.dims, now->key.dims);
    if (old == now || tp_work_is_ignored(old) || tp_work_is_ignored(now) || (old->delta == 0 && now->delta == 0))
        return;
    struct tp_work_change *change =
        add_call_change(n, is_shape ? TP_WORK_CHANGE_SHAPE : TP_WORK_CHANGE_TYPE, TP_NEW, new_call);
    change->detail[TP_BASE] = is_shape ? old->key.dims : old->key.detail;
    change->detail[TP_NEW] = is_shape ? now->key.dims : now->key.detail;
    change->is_counted_by_limit = true;
}

/* Returns the list without trailing arguments that are not tensors, because a similar operator can lack such options.
 * others: texts of arguments that are not tensors. */
static struct tp_str list_without_options(struct tp_str list, const char *const *others)
{
    if (tp_str_ends(list, "]"))
        list.len--;
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const char *const *other = others; *other; other++)
            if (tp_str_ends(list, *other)) {
                list.len -= strlen(*other);
                is_cut = true;
            }
    }
    return list;
}

bool tp_work_has_same_tensors(const struct tp_str old[2], const struct tp_str now[2])
{
    static const char *const no_dims[] = {", []", NULL}, *const no_types[] = {", Scalar", ", ScalarList", ", ", NULL};
    return old[0].len > 2 &&
           tp_str_equal(list_without_options(old[0], no_dims), list_without_options(now[0], no_dims)) &&
           tp_str_equal(list_without_options(old[1], no_types), list_without_options(now[1], no_types));
}

/* Returns whether operators with these names can correspond. An .item(), copy, cast or wait corresponds only to an
 * operator of the same kind. */
static bool are_same_operator_kind(struct tp_str old, struct tp_str now)
{
    enum tp_work_change_kind was = tp_work_kind_of_operator(old), is = tp_work_kind_of_operator(now);
    return was == is || (was >= TP_WORK_CHANGE_ALLOCATION && is >= TP_WORK_CHANGE_ALLOCATION);
}

/* Returns whether both operators read a value on the host. For example, bool(x) calls the same operators as
 * x.item(). */
static bool are_both_waits(struct tp_str old, struct tp_str now)
{
    enum tp_work_change_kind was = tp_work_kind_of_operator(old), is = tp_work_kind_of_operator(now);
    return (was == TP_WORK_CHANGE_ITEM || was == TP_WORK_CHANGE_HOST_WAIT) &&
           (is == TP_WORK_CHANGE_ITEM || is == TP_WORK_CHANGE_HOST_WAIT);
}

/* Returns whether one operator replaced the other on the same input tensors. */
static bool is_renamed(const struct tp_work_pair *old, const struct tp_work_pair *now)
{
    return old->delta < 0 && now->delta > 0 && are_same_operator_kind(old->key.name, now->key.name) &&
           tp_work_has_same_tensors((struct tp_str[]){old->key.dims, old->key.detail},
                                    (struct tp_str[]){now->key.dims, now->key.detail});
}

/* Returns whether both changes are in the same function or module. If neither place is known, the changes must be
 * between equal operators. */
static bool is_at_same_place(const struct tp_work_change *a, const struct tp_work_change *b)
{
    return tp_str_equal(a->place, b->place) &&
           (a->place.len || (tp_str_equal(a->around[0], b->around[0]) && tp_str_equal(a->around[1], b->around[1])));
}

void tp_work_join_renamed_operators(struct tp_work_compared *c)
{
    struct tp_work_change *changes = c->changes.data;
    size_t kept = 0;
    for (size_t i = 0; i < c->changes.count; i++)
        for (size_t k = 0; k < c->changes.count && changes[i].times && changes[i].kind < TP_WORK_CHANGE_SHAPE &&
                           changes[i].delta == -1;
             k++)
            if (changes[k].times && changes[k].kind < TP_WORK_CHANGE_SHAPE && changes[k].delta == 1 &&
                !changes[i].group && !changes[k].group && is_at_same_place(&changes[i], &changes[k]) &&
                are_same_operator_kind(changes[i].name, changes[k].name) &&
                tp_work_has_same_tensors(changes[i].detail, changes[k].detail)) {
                changes[k].kind = TP_WORK_CHANGE_RENAMED;
                changes[k].delta = 0;
                changes[k].is_counted_by_limit = false;
                changes[k].detail[TP_BASE] = changes[i].name;
                changes[k].detail[TP_NEW] = changes[k].name;
                tp_work_group_renamed_call(c, &changes[k], changes[i].call);
                changes[i].times = 0; /* removes the change, because it is reported with the added operator */
            }
    for (size_t i = 0; i < c->changes.count; i++)
        if (changes[i].times)
            changes[kept++] = changes[i];
    c->changes.count = kept;
}

/* Returns whether the operator is a view, which takes almost no time. */
static bool is_view(struct tp_str name)
{
    static const char *const views[] = {"aten::t",       "aten::transpose",  "aten::view",
                                        "aten::expand",  "aten::reshape",    "aten::_unsafe_view",
                                        "aten::permute", "aten::as_strided", NULL};
    return tp_str_is_one_of(name, views);
}

/* Returns whether a call on one side only wraps work that the other side does directly, as x.linear() wraps addmm.
 * All operators inside the call must be equally frequent on both sides, and must include `inner`, which the other
 * side has. */
static bool is_wrapper_of(const struct naming *n, int side, uint32_t call, const struct tp_work_pair *inner)
{
    const struct tp_count_call *lane = n->lane[side];
    const struct tp_work_pair *own = pair_of_call(n, side, call);
    bool is_there = false;
    if (!own->delta || (own->delta > 0) != (side == TP_NEW) || inner->delta || tp_work_is_ignored(inner))
        return false;
    for (uint32_t i = call + 1; i < n->count[side] && lane[i].depth > lane[call].depth; i++) {
        const struct tp_work_pair *pair = pair_of_call(n, side, i);
        if (pair->delta || tp_work_is_ignored(pair))
            return false;
        is_there |= pair == inner;
    }
    return is_there;
}

/* Returns how well an operator of NEW corresponds to an operator of BASE, from 0 (does not correspond) to 3. */
static int call_likeness(const struct naming *n, uint32_t old_call, uint32_t new_call)
{
    const struct tp_work_pair *old = pair_of_call(n, TP_BASE, old_call), *now = pair_of_call(n, TP_NEW, new_call);
    if (is_renamed(old, now))
        return 3;
    if (!are_same_operator_kind(old->key.name, now->key.name) && !are_both_waits(old->key.name, now->key.name))
        return 0;
    if (is_wrapper_of(n, TP_BASE, old_call, now) || is_wrapper_of(n, TP_NEW, new_call, old))
        return is_view(old->key.name) || is_view(now->key.name) ? 1 : 2;
    return 0;
}

/* Returns the index in `now` of the operator of NEW that corresponds best to an operator of BASE; `count` if no
 * operator corresponds. */
static uint32_t find_best_counterpart(const struct naming *n, uint32_t old_call, const uint32_t *now,
                                      const uint8_t *is_named, uint32_t count)
{
    uint32_t best = count;
    int most = 0;
    for (uint32_t k = 0; k < count; k++) {
        int like = is_named[k] ? 0 : call_likeness(n, old_call, now[k]);
        best = like > most ? k : best;
        most = like > most ? like : most;
    }
    return best;
}

/* Names the removed and added operators between two equal operators. An operator is renamed if it corresponds to
 * another one (equal shapes and types, or one wraps the other). */
static void add_replaced_calls(const struct naming *n, const uint32_t *old, uint32_t old_count, const uint32_t *now,
                               uint32_t new_count)
{
    uint8_t *is_named = tp_arena_array(n->c->arena, (size_t)new_count + 1, 1);
    size_t first = n->c->changes.count;
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t k = find_best_counterpart(n, old[i], now, is_named, new_count);
        if (k == new_count) {
            add_added_or_removed(n, TP_BASE, old[i]);
            continue;
        }
        is_named[k] = 1;
        struct tp_work_change *change = add_call_change(n, TP_WORK_CHANGE_RENAMED, TP_NEW, now[k]);
        change->detail[TP_BASE] = pair_of_call(n, TP_BASE, old[i])->key.name;
        change->detail[TP_NEW] = change->name;
        change->replaced_call_index = number_of_call_in_signature(n, TP_BASE, old[i]);
    }
    for (uint32_t k = 0; k < new_count; k++)
        if (!is_named[k])
            add_added_or_removed(n, TP_NEW, now[k]);
    tp_work_group_by_place(n->c, first);
}

/* The outermost operators of a block. names: for each operator, the id of its name. */
struct tops {
    uint32_t *calls, *names, *depth, count;
};

static struct tops collect_outermost_calls(const struct naming *n, int side, uint32_t first, uint32_t end)
{
    struct tp_arena *arena = n->c->arena;
    struct tops tops = {.calls = tp_arena_array(arena, (size_t)(end - first) + 1, sizeof(uint32_t)),
                        .names = tp_arena_array(arena, (size_t)(end - first) + 1, sizeof(uint32_t)),
                        .depth = tp_arena_array(arena, (size_t)(end - first) + 1, sizeof(uint32_t))};
    uint32_t floor = UINT32_MAX;
    for (uint32_t i = first; i < end; i++) {
        if (n->lane[side][i].depth > floor)
            continue;
        floor = n->lane[side][i].depth;
        tops.names[tops.count] = tp_strings_add(n->names, pair_of_call(n, side, i)->key.name);
        tops.calls[tops.count++] = i;
    }
    return tops;
}

static void add_changes_of_block(struct naming *n)
{
    struct tops old = collect_outermost_calls(n, TP_BASE, n->block.a, n->block.end_in_a);
    struct tops now = collect_outermost_calls(n, TP_NEW, n->block.b, n->block.end_in_b);
    struct tp_vec blocks = TP_VEC(n->c->arena, struct tp_align_block);
    const struct tp_align_sequence a = {old.names, old.depth, old.count}, b = {now.names, now.depth, now.count};
    uint32_t i = 0, k = 0;
    tp_align_sequences(&blocks, &a, &b);
    for (size_t at = 0; at <= blocks.count; at++) {
        struct tp_align_block end = {old.count, old.count, now.count, now.count};
        const struct tp_align_block *block = at < blocks.count ? TP_AT(&blocks, struct tp_align_block, at) : &end;
        for (; i < block->a && k < block->b; i++, k++)
            add_shape_or_type_change(n, old.calls[i], now.calls[k]);
        add_replaced_calls(n, old.calls + block->a, block->end_in_a - block->a, now.calls + block->b,
                           block->end_in_b - block->b);
        i = block->end_in_a;
        k = block->end_in_b;
    }
}

/* ---- threads ---- */

static struct tp_align_sequence make_sequence(const struct naming *n, int side, struct tp_keys *numbers)
{
    uint32_t count = n->count[side];
    uint32_t *items = tp_arena_array(n->c->arena, (size_t)count + 1, sizeof *items);
    uint32_t *depth = tp_arena_array(n->c->arena, (size_t)count + 1, sizeof *depth);
    for (uint32_t i = 0; i < count; i++) {
        depth[i] = n->lane[side][i].depth;
        items[i] = tp_keys_pair(numbers, pair_index_of_call(n, side, i), depth[i]);
    }
    return (struct tp_align_sequence){items, depth, count};
}

bool tp_work_match_calls(struct tp_work_compared *c)
{
    struct tp_keys numbers;
    struct tp_strings names;
    uint32_t lanes = 0;
    if (!c->side[TP_BASE]->call_count || !c->side[TP_NEW]->call_count)
        return false;
    tp_keys_init(&numbers, c->arena, 2);
    tp_strings_init(&names, c->arena, 0);
    for (int s = 0; s < TP_SIDES; s++)
        lanes = c->side[s]->lane_count > lanes ? c->side[s]->lane_count : lanes;
    for (uint32_t l = 0; l < lanes; l++) {
        struct naming n = {.c = c, .names = &names};
        struct tp_align_sequence sequences[TP_SIDES];
        struct tp_vec blocks = TP_VEC(c->arena, struct tp_align_block);
        for (int s = 0; s < TP_SIDES; s++) {
            const struct tp_signature *side = c->side[s];
            n.lane[s] = side->calls + (l < side->lane_count ? side->lanes[l] : 0);
            n.count[s] = l < side->lane_count ? side->lanes[l + 1] - side->lanes[l] : 0;
            sequences[s] = make_sequence(&n, s, &numbers);
        }
        tp_align_sequences(&blocks, &sequences[TP_BASE], &sequences[TP_NEW]);
        for (size_t i = 0; i < blocks.count; i++) {
            n.block = *TP_AT(&blocks, struct tp_align_block, i);
            add_changes_of_block(&n);
        }
    }
    return true;
}

/* ---- without sequences ---- */

/* Returns whether every call of a key is inside a call that was also added or removed. *place: the common place of all
 * calls of the key, or "" if the calls have several places. */
static bool is_inside(const struct tp_work_compared *c, int side, uint32_t pair, struct tp_str *place)
{
    const struct tp_signature *s = c->side[side];
    bool is_inside = s->call_count > 0, is_first = true;
    *place = TP_STR("");
    for (uint32_t i = 0; i < s->call_count; i++) {
        if (c->pair_of_key[side][s->calls[i].key] != pair)
            continue;
        uint32_t above = i;
        while (above > 0 && s->calls[above].depth >= s->calls[i].depth && s->calls[i].depth)
            above--;
        const struct tp_work_pair *outer = &c->pairs[c->pair_of_key[side][s->calls[above].key]];
        is_inside &= above != i && outer->delta != 0 && (outer->delta > 0) == (side == TP_NEW);
        bool is_same = is_first || tp_str_equal(*place, s->places[s->calls[i].place]);
        *place = is_same ? s->places[s->calls[i].place] : TP_STR("");
        is_first = false;
    }
    return is_inside && !is_first;
}

/* Returns a key with the same name whose count changed by the same number in the opposite direction; NULL without such
 * a key. */
static const struct tp_work_pair *find_counterpart(const struct tp_work_compared *c, const struct tp_work_pair *pair)
{
    for (uint32_t i = 0; i < c->pair_count; i++)
        if (c->pairs[i].key.kind == TP_COUNT_OPERATOR && c->pairs[i].delta == -pair->delta &&
            tp_str_equal(c->pairs[i].key.name, pair->key.name))
            return &c->pairs[i];
    return NULL;
}

void tp_work_add_unplaced_counts(struct tp_work_compared *c)
{
    for (uint32_t i = 0; i < c->pair_count; i++) {
        const struct tp_work_pair *pair = &c->pairs[i];
        int side = pair->delta > 0 ? TP_NEW : TP_BASE;
        struct tp_str place;
        if (pair->key.kind != TP_COUNT_OPERATOR || !pair->delta || is_inside(c, side, i, &place))
            continue;
        const struct tp_work_pair *was = find_counterpart(c, pair);
        if (was && pair->delta < 0)
            continue; /* the removed operator is skipped, because it is reported with the added operator */
        struct tp_work_change *change = tp_vec_push(&c->changes);
        *change = (struct tp_work_change){.kind = tp_work_kind_of_operator(pair->key.name),
                                          .name = pair->key.name,
                                          .detail = {pair->key.dims, pair->key.detail},
                                          .place = place,
                                          .delta = was ? 0 : pair->delta,
                                          .times = (uint32_t)(pair->delta > 0 ? pair->delta : 1),
                                          .is_counted_by_limit = pair->delta > 0,
                                          .is_consequence = tp_count_is_backward(pair->key.name)};
        if (!was)
            continue;
        bool is_shape = !tp_str_equal(was->key.dims, pair->key.dims);
        change->kind = is_shape ? TP_WORK_CHANGE_SHAPE : TP_WORK_CHANGE_TYPE;
        change->detail[TP_BASE] = is_shape ? was->key.dims : was->key.detail;
        change->detail[TP_NEW] = is_shape ? pair->key.dims : pair->key.detail;
    }
}
