/* Compares the work of two sides. See work_sides.h. */
#include "webreport/compare/two/work_sides.h"

#include "webreport/compare/two/left_out.h"
#include "webreport/compare/two/work_loader.h"
#include "webreport/compare/work/work_diff_build.h"
#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"
#include "writer/base/limits.h"

/* ---- compared runs ---- */

static struct tp_str input_text(const struct tp_summary *run)
{
    for (uint32_t i = 0; i < run->fact_count; i++)
        if (tp_str_equal(run->facts[i].name, TP_STR("input")))
            return run->facts[i].value;
    return TP_STR("");
}

/* Returns the newest run of a rank that has counts. Without such a run, returns the newest run of any rank that has
 * counts, or NULL. */
static const struct tp_summary *newest_run_of_rank(const struct tp_side_input *side, int64_t rank)
{
    const struct tp_summary *any = NULL;
    for (uint32_t i = side->run_count; i-- > 0;) {
        const struct tp_summary *run = &side->runs[i];
        if (!run->signature.hash)
            continue;
        if (run->key.rank == rank)
            return run;
        any = any ? any : run;
    }
    return any;
}

/* ---- counts that all runs of a side share ---- */

/* Marks the counts of `s` that differ in `other` as not exact, and appends the keys that only `other` has. Keys of `s`
 * keep their indexes. */
static void mark_differing_counts_inexact(struct tp_signature *s, const struct tp_signature *other, uint32_t own_count,
                                          struct tp_arena *arena)
{
    struct tp_vec more = TP_VEC(arena, struct tp_count_key);
    uint32_t i = 0, k = 0;
    while (i < own_count || k < other->key_count) {
        int order = i == own_count          ? 1
                    : k == other->key_count ? -1
                                            : tp_count_key_compare(&s->keys[i], &other->keys[k]);
        if (order > 0 && other->keys[k].count > 0) {
            struct tp_count_key *key = tp_vec_push(&more);
            *key = other->keys[k];
            key->count = 0;
            key->is_exact = false;
        }
        if (order < 0 && s->keys[i].count > 0)
            s->keys[i].is_exact = false;
        if (order == 0)
            s->keys[i].is_exact &= s->keys[i].count == other->keys[k].count;
        i += order <= 0;
        k += order >= 0;
    }
    struct tp_count_key *keys = tp_arena_array(arena, s->key_count + more.count, sizeof *keys);
    memcpy(keys, s->keys, s->key_count * sizeof *keys);
    if (more.count)
        memcpy(keys + s->key_count, more.data, more.count * sizeof *keys);
    s->keys = keys;
    s->key_count += (uint32_t)more.count;
}

static struct tp_signature agreed_signature(const struct tp_side_input *side, const struct tp_summary *run,
                                            struct tp_arena *arena)
{
    struct tp_signature s = run->signature;
    uint32_t seen = 1;
    for (uint32_t i = (uint32_t)(run - side->runs); i-- > 0 && seen < TP_WORK_RUNS;) {
        const struct tp_summary *other = &side->runs[i];
        if (other->key.rank != run->key.rank || !other->signature.hash || other->signature.is_cut || s.is_cut ||
            !tp_str_equal(input_text(other), input_text(run)))
            continue;
        seen++;
        if (other->signature.hash == run->signature.hash)
            continue;
        if (s.keys == run->signature.keys) {
            struct tp_count_key *own = tp_arena_array(arena, s.key_count, sizeof *own);
            memcpy(own, s.keys, s.key_count * sizeof *own);
            s.keys = own;
        }
        s.hash = s.hash * 2 + 1; /* the hash must differ, because the counts differ from those of the summary */
        mark_differing_counts_inexact(&s, &other->signature, run->signature.key_count, arena);
        tp_work_mark_differing_memory(&s, &other->signature, arena);
    }
    return s;
}

/* ---- ranks ---- */

/* A pair of signatures, by hash, that has already been compared. */
struct seen {
    uint64_t base, other;
};

static bool add_pair_if_unseen(struct tp_vec *seen, uint64_t base, uint64_t other)
{
    for (size_t i = 0; i < seen->count; i++)
        if (TP_AT(seen, struct seen, i)->base == base && TP_AT(seen, struct seen, i)->other == other)
            return false;
    *(struct seen *)tp_vec_push(seen) = (struct seen){base, other};
    return true;
}

static bool is_change_reported(const struct tp_work_diff *diff, const struct tp_work_change *change)
{
    for (uint32_t i = 0; i < diff->count; i++) {
        const struct tp_work_change *known = &diff->changes[i];
        if (known->kind == change->kind && known->delta == change->delta && tp_str_equal(known->name, change->name) &&
            tp_str_equal(known->place, change->place) && tp_str_equal(known->detail[1], change->detail[1]))
            return true;
    }
    return false;
}

/* Appends the groups of operators from the comparison of another rank. */
static void add_members_of_rank(struct tp_work_diff *diff, const struct tp_work_diff *rank, struct tp_arena *arena)
{
    uint32_t count = diff->member_count;
    struct tp_work_member *members = tp_arena_array(arena, (size_t)count + rank->member_count + 1, sizeof *members);
    if (count)
        memcpy(members, diff->members, count * sizeof *members);
    for (uint32_t i = 0; i < rank->member_count; i++) {
        members[count] = rank->members[i];
        members[count++].group += diff->group_count;
    }
    diff->members = members;
    diff->member_count = count;
    diff->group_count += rank->group_count;
}

/* Appends the changes from the comparison of another rank. */
static void add_changes_of_rank(struct tp_work_diff *diff, const struct tp_work_diff *rank, struct tp_arena *arena)
{
    uint32_t count = diff->count, groups = diff->group_count;
    struct tp_work_change *changes = tp_arena_array(arena, (size_t)count + rank->count + 1, sizeof *changes);
    if (!diff->is_known) {
        *diff = *rank;
        return;
    }
    if (count)
        memcpy(changes, diff->changes, count * sizeof *changes);
    for (uint32_t i = 0; i < rank->count; i++)
        if (count < TP_MAX_WORK_CHANGES && !is_change_reported(diff, &rank->changes[i])) {
            changes[count] = rank->changes[i];
            changes[count].group += changes[count].group ? groups : 0;
            count++;
        }
    add_members_of_rank(diff, rank, arena);
    diff->changes = changes;
    diff->count = count;
    diff->is_same &= rank->is_same;
    diff->is_aligned &= rank->is_aligned;
    diff->are_unfreed_blocks_known &= rank->are_unfreed_blocks_known;
    diff->varying_key_count =
        rank->varying_key_count > diff->varying_key_count ? rank->varying_key_count : diff->varying_key_count;
}

/* Returns the number of waits per step in a run, counting those with the same call, operator and function as the row
 * `at`. */
static double waits_per_step(const struct tp_summary *run, const struct tp_summary_row *at)
{
    int64_t count = 0;
    uint32_t steps = tp_summary_used_steps(run);
    for (uint32_t i = 0; i < run->row_count; i++)
        if (run->rows[i].kind == TP_SUMMARY_SYNC && tp_str_equal(run->rows[i].name, at->name) &&
            tp_str_equal(run->rows[i].owner, at->owner) && tp_frame_same_function(run->rows[i].shape, at->shape))
            count += run->rows[i].time.count;
    return (double)count / (steps ? steps : 1);
}

/* Finds the places of additional waits that no new operator explains. These are lines at which NEW waits more often
 * than BASE. */
static void find_places_of_waits(struct tp_work_diff *diff, const struct tp_summary *base, const struct tp_summary *run)
{
    for (uint32_t i = 0; i < diff->count; i++) {
        struct tp_work_change *change = &diff->changes[i];
        if (change->kind != TP_WORK_CHANGE_WAIT || change->delta <= 0 || change->place.len)
            continue;
        for (uint32_t r = 0; r < run->row_count && !change->place.len; r++) {
            const struct tp_summary_row *row = &run->rows[r];
            if (row->kind == TP_SUMMARY_SYNC && tp_str_equal(row->name, change->name) && row->shape.len &&
                waits_per_step(run, row) > waits_per_step(base, row) + 0.5)
                change->place = row->shape;
        }
    }
}

static void compare_ranks(struct tp_work_diff *diff, const struct tp_side_input *const sides[TP_SIDES],
                          bool has_names_only, struct tp_arena *arena)
{
    struct tp_vec seen = TP_VEC(arena, struct seen);
    for (uint32_t i = sides[TP_NEW]->run_count; i-- > 0 && seen.count < TP_WORK_RANKS;) {
        const struct tp_summary *run = &sides[TP_NEW]->runs[i],
                                *base = newest_run_of_rank(sides[TP_BASE], run->key.rank);
        if (newest_run_of_rank(sides[TP_NEW], run->key.rank) != run || !base ||
            !add_pair_if_unseen(&seen, base->signature.hash, run->signature.hash))
            continue;
        struct tp_signature signatures[TP_SIDES] = {[TP_BASE] = agreed_signature(sides[TP_BASE], base, arena),
                                                    [TP_NEW] = agreed_signature(sides[TP_NEW], run, arena)};
        struct tp_work_diff rank;
        tp_work_diff_build(&rank, &signatures[TP_BASE], &signatures[TP_NEW], has_names_only, arena);
        find_places_of_waits(&rank, base, run);
        add_changes_of_rank(diff, &rank, arena);
    }
}

bool tp_work_has_limited_change(const struct tp_work_diff *diff)
{
    for (uint32_t i = 0; i < diff->count; i++)
        if (diff->changes[i].is_counted_by_limit && !diff->changes[i].is_consequence)
            return true;
    return false;
}

void tp_work_sides_build(struct tp_work_diff *diff, struct tp_replaced *replaced, const struct tp_sides *sides,
                         const struct tp_comparability *c)
{
    const struct tp_side_input *const inputs[TP_SIDES] = {
        [TP_BASE] = sides->side[TP_BASE].input, [TP_NEW] = sides->side[TP_NEW].input};
    *diff = (struct tp_work_diff){.is_known = false};
    compare_ranks(diff, inputs, c->has_other_input_shape, sides->arena);
    tp_left_out_remove_work(diff, sides);
    tp_replaced_build(replaced, sides, c, diff);
    tp_replaced_mark_limited(diff, sides, replaced);
    tp_work_add_functions(diff, inputs, sides->arena);
    tp_left_out_remove_work(diff, sides);
    for (uint32_t i = 0; i < diff->count && c->workload == TP_WORKLOAD_OTHER && !c->is_other_input_alone; i++)
        diff->changes[i].is_counted_by_limit = false;
}
