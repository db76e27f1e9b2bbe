/* Finds groups of operators that replace each other, and makes one change of each group. See work_parts.h.
 *
 * Removed and added operators replace each other if they are at the same place in the step. This place is between equal
 * operators of one thread, in one function or module. Only operators that the other side has less often belong to a
 * group. The times of a group are compared as a sum (replaced.h). An added .item(), wait, copy or cast is never part of
 * a group. */
#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* ---- members ---- */

static uint32_t end_of_lane_with_call(const struct tp_signature *s, uint32_t call)
{
    uint32_t lane = 0;
    while (s->lanes[lane + 1] <= call)
        lane++;
    return s->lanes[lane + 1];
}

static bool is_wait_pair(const struct tp_work_pair *pair)
{
    enum tp_work_change_kind kind = tp_work_kind_of_operator(pair->key.name);
    return kind == TP_WORK_CHANGE_ITEM || kind == TP_WORK_CHANGE_HOST_WAIT;
}

/* Adds a call to a group. Also adds its inner calls that the other side has less often. */
static void add_call_and_inner_calls(struct tp_work_compared *c, uint32_t group, int side, uint32_t call)
{
    const struct tp_signature *s = c->side[side];
    uint32_t end = end_of_lane_with_call(s, call);
    for (uint32_t i = call; i < end && (i == call || s->calls[i].depth > s->calls[call].depth); i++) {
        uint32_t number = c->pair_of_key[side][s->calls[i].key];
        int64_t delta = c->pairs[number].delta;
        struct tp_work_group_call own = {group, number, s->calls[i].place, (uint8_t)side, i == call};
        if (i == call || (delta && (delta > 0) == (side == TP_NEW)))
            *(struct tp_work_group_call *)tp_vec_push(&c->calls) = own;
        if (i != call && side == TP_NEW && delta > 0 && is_wait_pair(&c->pairs[number]))
            *(struct tp_work_group_call *)tp_vec_push(&c->waits) = own;
    }
}

void tp_work_group_renamed_call(struct tp_work_compared *c, struct tp_work_change *change, uint32_t was)
{
    if (!change->call || !was)
        return;
    change->group = ++c->group_count;
    add_call_and_inner_calls(c, change->group, TP_BASE, was - 1);
    add_call_and_inner_calls(c, change->group, TP_NEW, change->call - 1);
}

/* Returns the modules around a place, without the innermost module. Returns "" if the place is a function. */
static struct tp_str outer_modules_of_place(struct tp_str place)
{
    struct tp_frame frame;
    size_t size = place.len;
    if (tp_frame_parse(&frame, place))
        return TP_STR("");
    while (size > 0 && place.ptr[size - 1] != '/')
        size--;
    return (struct tp_str){place.ptr, size};
}

/* Returns whether two places are the same, as far as known. Modules in the same parent module are one place, because a
 * replaced activation function is a different module. */
static bool are_places_compatible(struct tp_str a, struct tp_str b)
{
    struct tp_str outer = outer_modules_of_place(a);
    return !a.len || !b.len || tp_frame_same_function(a, b) ||
           (outer.len && tp_str_equal(outer, outer_modules_of_place(b)));
}

static bool is_added_operator(const struct tp_work_change *change)
{
    bool is_of_kind = change->kind == TP_WORK_CHANGE_ALLOCATION || change->kind == TP_WORK_CHANGE_OPERATOR;
    return change->kind == TP_WORK_CHANGE_RENAMED || (is_of_kind && change->delta > 0);
}

static bool is_removed_operator(const struct tp_work_change *change)
{
    return change->kind == TP_WORK_CHANGE_RENAMED || (change->kind < TP_WORK_CHANGE_SHAPE && change->delta < 0);
}

/* Returns whether a change with index `first` or higher is at the same place as `own` and is the counterpart of `own`:
 * one change adds an operator, the other removes one. */
static bool has_opposite_change(const struct tp_work_compared *c, size_t first, const struct tp_work_change *own)
{
    for (size_t i = first; i < c->changes.count; i++) {
        const struct tp_work_change *other = TP_AT(&c->changes, struct tp_work_change, i);
        if (are_places_compatible(own->place, other->place) &&
            ((is_added_operator(own) && is_removed_operator(other)) ||
             (is_removed_operator(own) && is_added_operator(other))))
            return true;
    }
    return false;
}

static void add_change_to_group(struct tp_work_compared *c, uint32_t group, struct tp_work_change *change)
{
    change->group = group;
    if (change->kind == TP_WORK_CHANGE_RENAMED && change->replaced_call_index)
        add_call_and_inner_calls(c, group, TP_BASE, change->replaced_call_index - 1);
    if (change->call)
        add_call_and_inner_calls(
            c, group, change->kind != TP_WORK_CHANGE_RENAMED && change->delta < 0 ? TP_BASE : TP_NEW, change->call - 1);
}

void tp_work_group_by_place(struct tp_work_compared *c, size_t first)
{
    bool are_renamed = true;
    struct tp_work_change *changes = c->changes.data;
    for (size_t i = first; i < c->changes.count; i++)
        are_renamed &= changes[i].kind == TP_WORK_CHANGE_RENAMED;
    uint32_t group = c->group_count + 1;
    for (size_t i = first; i < c->changes.count; i++) {
        if (are_renamed)
            tp_work_group_renamed_call(c, &changes[i], changes[i].replaced_call_index);
        else if ((is_added_operator(&changes[i]) || is_removed_operator(&changes[i])) &&
                 has_opposite_change(c, first, &changes[i]))
            add_change_to_group(c, c->group_count = group, &changes[i]);
    }
}

/* ---- joining groups that share operators ---- */

static uint32_t find_root_group(uint32_t *parents, uint32_t group)
{
    while (parents[group] != group)
        group = parents[group] = parents[parents[group]];
    return group;
}

/* Returns the index of the first pair with the same name and shapes as the given pair. Types are ignored, because
 * tables do not show types. */
static uint32_t first_pair_of_same_shape(const struct tp_work_compared *c, uint32_t pair)
{
    const struct tp_count_key *key = &c->pairs[pair].key;
    while (pair > 0 && c->pairs[pair - 1].key.kind == key->kind &&
           tp_str_equal(c->pairs[pair - 1].key.name, key->name) && tp_str_equal(c->pairs[pair - 1].key.dims, key->dims))
        pair--;
    return pair;
}

/* Joins groups that share an operator on one side, and numbers the groups from 1. */
static void join_connected_groups(struct tp_work_compared *c, uint32_t *numbers)
{
    uint32_t *parents = tp_arena_array(c->arena, (size_t)c->group_count + 1, sizeof *parents);
    uint32_t *of_pair = tp_arena_array(c->arena, 2 * (size_t)c->pair_count + 1, sizeof *of_pair);
    uint32_t count = 0;
    for (uint32_t g = 0; g <= c->group_count; g++)
        parents[g] = g;
    for (size_t i = 0; i < c->calls.count; i++) {
        struct tp_work_group_call *call = TP_AT(&c->calls, struct tp_work_group_call, i);
        call->pair = first_pair_of_same_shape(c, call->pair);
        uint32_t *of = &of_pair[2 * call->pair + call->side];
        if (*of)
            parents[find_root_group(parents, call->group)] = find_root_group(parents, *of);
        *of = call->group;
    }
    for (uint32_t g = 1; g <= c->group_count; g++)
        if (find_root_group(parents, g) == g)
            numbers[g] = ++count;
    for (uint32_t g = 1; g <= c->group_count; g++)
        numbers[g] = numbers[find_root_group(parents, g)];
    c->group_count = count;
}

/* Sorts calls by group, then side, then operator. */
static int compare_by_member(const void *x, const void *y, const void *context)
{
    const struct tp_work_group_call *a = x, *b = y;
    (void)context;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* Returns the calls per step on one side, summed over all pairs with the same name and shapes. pair: index of the
 * first of these pairs. */
static int64_t count_pairs_of_same_shape(const struct tp_work_compared *c, uint32_t pair, int side)
{
    int64_t count = 0;
    for (uint32_t i = pair; i < c->pair_count && first_pair_of_same_shape(c, i) == pair; i++)
        count += c->pairs[i].count[side];
    return count;
}

static void fill_members(struct tp_work_compared *c, struct tp_work_diff *diff)
{
    tp_merge_sort(c->arena, c->calls.data, c->calls.count, sizeof(struct tp_work_group_call), compare_by_member, NULL);
    diff->members = tp_arena_array(c->arena, c->calls.count + 1, sizeof *diff->members);
    diff->group_count = c->group_count;
    for (size_t i = 0; i < c->calls.count; i++) {
        const struct tp_work_group_call *call = TP_AT(&c->calls, struct tp_work_group_call, i);
        const struct tp_work_pair *pair = &c->pairs[call->pair];
        if (i == 0 || compare_by_member(call, call - 1, NULL))
            diff->members[diff->member_count++] = (struct tp_work_member){
                .group = call->group, .side = call->side, .name = pair->key.name, .dims = pair->key.dims};
        struct tp_work_member *member = &diff->members[diff->member_count - 1];
        int64_t count = count_pairs_of_same_shape(c, call->pair, call->side);
        member->calls += call->is_outermost;
        member->part += count ? 1 / (double)count : 0;
    }
}

/* ---- one change per group ---- */

enum { NAMES = 4 }; /* largest number of names in the text of a change */

/* Returns whether one side of a group has an outermost operator outside the backward pass. */
static bool has_operator_of_forward_pass(const struct tp_work_diff *diff, uint32_t group, int side)
{
    for (uint32_t i = 0; i < diff->member_count; i++) {
        const struct tp_work_member *member = &diff->members[i];
        if (member->group == group && member->side == side && member->calls > 0 && !tp_count_is_backward(member->name))
            return true;
    }
    return false;
}

double tp_work_group_calls(const struct tp_work_diff *diff, uint32_t group, int side)
{
    double calls = 0;
    bool is_forward = has_operator_of_forward_pass(diff, group, side);
    for (uint32_t i = 0; i < diff->member_count; i++) {
        const struct tp_work_member *member = &diff->members[i];
        if (member->group == group && member->side == side && !(is_forward && tp_count_is_backward(member->name)))
            calls += member->calls;
    }
    return calls;
}

/* Returns the outermost operators on one side of a group as text, such as "4 aten::lerp_, 4 aten::mul_ and 2 more".
 * Backward operators are omitted if the group has forward operators, because forward operators cause them. */
static struct tp_str outermost_operators_text(const struct tp_work_diff *diff, uint32_t group, int side,
                                              struct tp_arena *arena)
{
    struct tp_str names[NAMES];
    double calls[NAMES] = {0}, more = 0;
    uint32_t count = 0;
    bool is_forward = has_operator_of_forward_pass(diff, group, side);
    for (uint32_t i = 0; i < diff->member_count; i++) {
        const struct tp_work_member *member = &diff->members[i];
        uint32_t k = 0;
        if (member->group != group || member->side != side || member->calls <= 0 ||
            (is_forward && tp_count_is_backward(member->name)))
            continue;
        while (k < count && !tp_str_equal(names[k], member->name))
            k++;
        if (k == NAMES) {
            more += member->calls;
            continue;
        }
        names[k] = member->name;
        calls[k] += member->calls;
        count += k == count;
    }
    const char *text = "";
    for (uint32_t k = 0; k < count; k++)
        text = tp_text_printf(arena, "%s%s%s%.*s", text,
                              !k                            ? ""
                              : k + 1 == count && more <= 0 ? " and "
                                                            : ", ",
                              calls[k] > 1 ? tp_text_printf(arena, "%.0f ", calls[k]) : "",
                              (int)(names[k].len > 120 ? 120 : names[k].len), names[k].ptr);
    return tp_str_of(more > 0 ? tp_text_printf(arena, "%s and %.0f more", text, more) : text);
}

/* Returns whether all changes of the group are renamed operators. */
static bool has_only_renames(const struct tp_work_compared *c, uint32_t group)
{
    for (size_t i = 0; i < c->changes.count; i++) {
        const struct tp_work_change *change = TP_AT(&c->changes, struct tp_work_change, i);
        if (change->group == group && change->kind != TP_WORK_CHANGE_RENAMED)
            return false;
    }
    return true;
}

/* Turns the change of the first added operator into the change of the whole group. */
static void make_group_change(struct tp_work_change *change, const struct tp_work_diff *diff, struct tp_arena *arena)
{
    double old_calls = tp_work_group_calls(diff, change->group, TP_BASE);
    double new_calls = tp_work_group_calls(diff, change->group, TP_NEW);
    change->kind = TP_WORK_CHANGE_REPLACED;
    change->delta = 0;
    change->times = new_calls < (double)UINT32_MAX ? (uint32_t)new_calls : UINT32_MAX;
    change->is_counted_by_limit =
        new_calls > old_calls; /* preliminary value; tp_replaced_mark_limited later compares the times */
    for (int s = 0; s < TP_SIDES; s++)
        change->detail[s] = outermost_operators_text(diff, change->group, s, arena);
}

static void remove_merged_changes(struct tp_work_compared *c)
{
    struct tp_work_change *changes = c->changes.data;
    size_t kept = 0;
    for (size_t i = 0; i < c->changes.count; i++)
        if (changes[i].times)
            changes[kept++] = changes[i];
    c->changes.count = kept;
}

/* ---- waits for values inside groups ---- */

/* Returns the number of additional operators with this name per step of NEW. */
static int64_t additional_calls(const struct tp_work_compared *c, struct tp_str name)
{
    int64_t more = 0;
    for (uint32_t i = 0; i < c->pair_count && c->pairs[i].key.kind == TP_COUNT_OPERATOR; i++)
        more += tp_str_equal(c->pairs[i].key.name, name) ? c->pairs[i].delta : 0;
    return more;
}

/* Adds a change for the first wait for a value inside a group. Limits count this change even if the group is faster.
 * Operators inside the waiting call belong to the same wait. */
static void add_waits_inside(struct tp_work_compared *c)
{
    bool has_wait = false;
    for (size_t i = 0; i < c->waits.count && !has_wait; i++) {
        const struct tp_work_group_call *call = TP_AT(&c->waits, struct tp_work_group_call, i);
        const struct tp_work_pair *pair = &c->pairs[call->pair];
        int64_t more = additional_calls(c, pair->key.name);
        if (more <= 0)
            continue;
        has_wait = true;
        *(struct tp_work_change *)tp_vec_push(&c->changes) =
            (struct tp_work_change){.kind = tp_work_kind_of_operator(pair->key.name),
                                    .name = pair->key.name,
                                    .detail = {pair->key.dims, pair->key.detail},
                                    .dims = TP_STR(""),
                                    .place = c->side[TP_NEW]->places[call->place],
                                    .around = {TP_STR(""), TP_STR("")},
                                    .delta = more,
                                    .times = more < UINT32_MAX ? (uint32_t)more : UINT32_MAX,
                                    .is_counted_by_limit = true};
    }
}

bool tp_work_is_replacement(const struct tp_work_diff *diff, const struct tp_count_key *operator)
{
    for (uint32_t i = 0; i < diff->member_count; i++)
        if (diff->members[i].side == TP_NEW && tp_str_equal(diff->members[i].name, operator->name) &&
            tp_str_equal(diff->members[i].dims, operator->dims))
            return true;
    return false;
}

void tp_work_replace_groups_by_changes(struct tp_work_compared *c, struct tp_work_diff *diff)
{
    uint32_t *numbers = tp_arena_array(c->arena, (size_t)c->group_count + 1, sizeof *numbers);
    struct tp_work_change *changes = c->changes.data;
    join_connected_groups(c, numbers);
    for (size_t i = 0; i < c->calls.count; i++) {
        struct tp_work_group_call *call = TP_AT(&c->calls, struct tp_work_group_call, i);
        call->group = numbers[call->group];
    }
    for (size_t i = 0; i < c->changes.count; i++)
        changes[i].group = numbers[changes[i].group];
    fill_members(c, diff);
    struct tp_work_change **first = tp_arena_array(c->arena, (size_t)c->group_count + 1, sizeof *first);
    bool *is_done = tp_arena_array(c->arena, (size_t)c->group_count + 1, sizeof *is_done);
    for (uint32_t g = 1; g <= c->group_count; g++)
        is_done[g] = has_only_renames(c, g);
    for (size_t i = 0; i < c->changes.count; i++)
        if (changes[i].group && !is_done[changes[i].group] && !first[changes[i].group] &&
            is_added_operator(&changes[i]))
            first[changes[i].group] = &changes[i];
    for (size_t i = 0; i < c->changes.count; i++) {
        struct tp_work_change *one = first[changes[i].group];
        if (!changes[i].group || is_done[changes[i].group] || !one)
            continue;
        one->is_consequence &= changes[i].is_consequence;
        if (&changes[i] != one)
            changes[i].times = 0; /* removes the change, because it is part of the group's change */
    }
    for (uint32_t g = 1; g <= c->group_count; g++)
        if (first[g])
            make_group_change(first[g], diff, c->arena);
    remove_merged_changes(c);
    add_waits_inside(c);
}
