/* Sums operators and kernels that replace each other, and tests the sums. See replaced.h. */
#include "webreport/compare/two/replaced.h"

#include <math.h>

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/two/left_out.h"
#include "webreport/compare/two/row_judge.h"

/* Smallest relative change that gets a verdict. The change of host times is relative to the operators' time. The change
 * from other kernels of the same operator is relative to the step. Libraries choose kernels by measurements, so that
 * runs of one program can have different kernels. */
static const double LEAST_SHARE = 0.01;

/* ---- rows that belong to the groups ---- */

/* Keys of the members of all groups, to find a member by side, name and shapes. */
struct members {
    struct tp_strings texts;
    struct tp_keys keys;
    uint32_t *of; /* for each key: index of the first member with this key */
};

/* Fills the keys from the members of the groups. If only names are compared, the keys have no shapes. */
static void collect_keys_of_members(struct members *found, const struct tp_sides *sides,
                                    const struct tp_work_diff *work)
{
    found->of = tp_arena_array(sides->arena, (size_t)work->member_count + 1, sizeof *found->of);
    tp_strings_init(&found->texts, sides->arena, 0);
    tp_keys_init(&found->keys, sides->arena, 3);
    for (uint32_t i = 0; i < work->member_count; i++) {
        const struct tp_work_member *m = &work->members[i];
        uint32_t key[] = {(uint32_t)m->side, tp_strings_add(&found->texts, m->name),
                          work->has_names_only ? TP_NO_ID : tp_strings_add(&found->texts, m->dims)};
        uint32_t known = tp_keys_count(&found->keys), at = tp_keys_add(&found->keys, key);
        found->of[at] = at == known ? i : found->of[at];
    }
}

/* Returns the index of a row's text among the texts of members. Because texts of members are cut to a maximum length,
 * this function cuts the row's text first. */
static uint32_t find_row_text_of_members(const struct members *members, const struct tp_sides *sides, uint32_t text)
{
    return tp_strings_find(&members->texts, tp_count_shorten_text(tp_strings_get(&sides->texts, text), sides->arena));
}

/* Returns the index of the text with the name of the row's operator, or TP_NO_ID. */
static uint32_t operator_text_id(const uint32_t *identity)
{
    switch ((enum tp_summary_kind)identity[0]) {
    case TP_SUMMARY_KERNEL:
    case TP_SUMMARY_COPY:
    case TP_SUMMARY_SYNC:
        return identity[2];
    case TP_SUMMARY_OPERATOR_HOST:
    case TP_SUMMARY_OPERATOR_DEVICE:
        return identity[1];
    default:
        return TP_NO_ID;
    }
}

static void find_rows_of_groups(struct tp_replaced *replaced, const struct tp_sides *sides,
                                const struct tp_work_diff *work)
{
    struct members members;
    collect_keys_of_members(&members, sides, work);
    for (int s = 0; s < TP_SIDES; s++) {
        replaced->group_of[s] = tp_arena_array(sides->arena, sides->identity_count, sizeof(uint32_t));
        replaced->part_of[s] = tp_arena_array(sides->arena, sides->identity_count, sizeof(double));
        for (uint32_t i = 0; i < sides->identity_count && work->member_count > 0; i++) {
            const uint32_t *identity = tp_keys_get(&sides->keys, i);
            uint32_t name = operator_text_id(identity);
            if (name == TP_NO_ID || !tp_sides_row(sides, s, i)->exists)
                continue;
            uint32_t key[] = {(uint32_t)s, find_row_text_of_members(&members, sides, name),
                              work->has_names_only ? TP_NO_ID : find_row_text_of_members(&members, sides, identity[3])};
            uint32_t at = tp_keys_find(&members.keys, key);
            if (at == TP_NO_ID)
                continue;
            replaced->group_of[s][i] = work->members[members.of[at]].group;
            replaced->part_of[s][i] = fmin(work->members[members.of[at]].part, 1);
        }
    }
}

/* ---- shift that the other rows share ---- */

static struct tp_row_shift compute_common_shift(const struct tp_sides *sides, enum tp_summary_kind kind)
{
    struct tp_weighted *items = tp_arena_array(sides->arena, sides->identity_count, sizeof *items);
    double *changes = tp_arena_array(sides->arena, sides->identity_count, sizeof *changes);
    struct tp_row_shift shift = {.kind = kind};
    size_t count = 0;
    double all = 0;
    for (uint32_t i = 0; i < sides->identity_count; i++) {
        const struct tp_side_row *base = tp_sides_row(sides, TP_BASE, i), *now = tp_sides_row(sides, TP_NEW, i);
        if (tp_keys_get(&sides->keys, i)[0] != kind)
            continue;
        all += base->ns;
        if (!(base->ns > 0) || !(now->ns > 0) || base->calls != now->calls)
            continue;
        changes[count] = log(now->ns / base->ns);
        items[count] = (struct tp_weighted){changes[count], base->ns};
        count++;
    }
    shift.least_ns =
        kind == TP_SUMMARY_OPERATOR_DEVICE ? TP_CHANGE_LEAST_SHARE * sides->side[TP_BASE].total_ns : LEAST_SHARE * all;
    if (count < TP_ROWS_LEAST)
        return shift;
    shift.shift = tp_weighted_median(items, count, sides->arena);
    shift.spread = tp_robust_deviation(changes, count);
    return shift;
}

/* ---- sums ---- */

static double sum_of_rows(const struct tp_sides *sides, const struct tp_row_sum *rows, int side)
{
    double ns = 0;
    for (size_t i = 0; i < rows->parts[side].count; i++) {
        const struct tp_side_part *part = TP_AT(&rows->parts[side], struct tp_side_part, i);
        ns += part->share * tp_sides_row(sides, side, part->identity)->ns;
    }
    return ns;
}

static struct tp_run_change change_of_levels(const struct tp_sides *sides, const struct tp_side_levels levels[TP_SIDES],
                                             const struct tp_row_shift *shift)
{
    uint32_t base_runs = sides->side[TP_BASE].input->run_count, new_runs = sides->side[TP_NEW].input->run_count;
    bool is_host = shift->kind != TP_SUMMARY_OPERATOR_DEVICE;
    double *cvs = tp_arena_array(sides->arena, (size_t)base_runs + new_runs, sizeof *cvs);
    memcpy(cvs, levels[TP_BASE].cvs, base_runs * sizeof *cvs);
    memcpy(cvs + base_runs, levels[TP_NEW].cvs, new_runs * sizeof *cvs);
    struct tp_run_context context = {
        .prior = tp_run_noise_prior_estimate(is_host ? TP_QUANTITY_HOST_OPS : TP_QUANTITY_ROW, cvs,
                                             (size_t)base_runs + new_runs, tp_sides_have_one_host(sides))};
    if (is_host)
        context.prior.sd = fmax(context.prior.sd, shift->spread / sqrt(1.0 / base_runs + 1.0 / new_runs));
    for (uint32_t r = 0; r < new_runs; r++) {
        levels[TP_NEW].levels[r] -= shift->shift;
        levels[TP_NEW].lows[r] -= shift->shift;
    }
    return tp_run_change_of_sides(&(struct tp_levels){levels[TP_BASE].levels, base_runs},
                                  &(struct tp_levels){levels[TP_NEW].levels, new_runs}, &context, sides->arena);
}

static enum tp_change_verdict verdict_of_group_sum(const struct tp_sides *sides,
                                                   const struct tp_side_levels levels[TP_SIDES],
                                                   const struct tp_run_change *change, bool is_host)
{
    if (is_host && !tp_short_steps_confirm(log1p(change->estimate), tp_sides_change_of_short_steps(sides, levels)))
        return TP_CHANGE_NEUTRAL;
    return change->low > 0 ? TP_CHANGE_REGRESSED : change->high < 0 ? TP_CHANGE_IMPROVED : TP_CHANGE_NEUTRAL;
}

struct tp_replaced_sum tp_replaced_judge(const struct tp_sides *sides, const struct tp_row_sum *rows,
                                         const struct tp_row_shift *shift)
{
    const double factor_of_two = 1;
    struct tp_replaced_sum sum = {.is_host = shift->kind != TP_SUMMARY_OPERATOR_DEVICE, .interval = {NAN, NAN, NAN}};
    struct tp_side_levels levels[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++) {
        sum.ns[s] = sum_of_rows(sides, rows, s);
        levels[s] = tp_sides_sum_levels(sides, s, rows->parts[s].data, rows->parts[s].count);
    }
    double change_ns = sum.ns[TP_NEW] - sum.ns[TP_BASE];
    bool is_large = fabs(change_ns) >= shift->least_ns;
    if (shift->is_open)
        return sum;
    if (!(sum.ns[TP_BASE] > 0) || !(sum.ns[TP_NEW] > 0)) {
        sum.is_known = sides->side[TP_BASE].step_count >= 2 && sides->side[TP_NEW].step_count >= 2;
        if (sum.is_known && is_large)
            sum.verdict = change_ns > 0 ? TP_CHANGE_REGRESSED : TP_CHANGE_IMPROVED;
        return sum;
    }
    if (!levels[TP_BASE].levels || !levels[TP_NEW].levels)
        return sum;
    struct tp_run_change change = change_of_levels(sides, levels, shift);
    sum.is_known = change.detectable <= factor_of_two;
    sum.interval = (struct tp_confidence_interval){sum.ns[TP_BASE] * change.estimate, sum.ns[TP_BASE] * change.low,
                                                   sum.ns[TP_BASE] * change.high};
    if (is_large)
        sum.verdict = verdict_of_group_sum(sides, levels, &change, sum.is_host);
    return sum;
}

/* Sets is_counted_by_limit, because the sum of the group became slower, and stores the times of the sum. */
static void mark_slower_group(struct tp_work_change *change, const struct tp_replaced_sum *sum)
{
    change->is_counted_by_limit = true;
    change->is_consequence = false;
    change->is_host = sum->is_host;
    for (int s = 0; s < TP_SIDES; s++)
        change->group_ns[s] = llround(fmin(sum->ns[s], 9e18));
}

/* Returns whether a row's text equals a text of the work's keys, which are cut to a maximum length. */
static bool is_row_text_of_key(const struct tp_sides *sides, uint32_t text, struct tp_str of_key)
{
    return tp_str_equal(tp_count_shorten_text(tp_strings_get(&sides->texts, text), sides->arena), of_key);
}

/* Adds the device times of an operator with changed kernels to the rows. */
static void add_kernels(struct tp_row_sum *rows, const struct tp_sides *sides, const struct tp_work_diff *work,
                        const struct tp_work_change *change)
{
    for (uint32_t i = 0; i < sides->identity_count; i++) {
        const uint32_t *identity = tp_keys_get(&sides->keys, i);
        if (identity[0] != TP_SUMMARY_OPERATOR_DEVICE || !is_row_text_of_key(sides, identity[1], change->name) ||
            (!work->has_names_only && !is_row_text_of_key(sides, identity[3], change->dims)))
            continue;
        for (int s = 0; s < TP_SIDES; s++)
            *(struct tp_side_part *)tp_vec_push(&rows->parts[s]) = (struct tp_side_part){i, 1};
    }
}

/* Sets is_counted_by_limit of a changed algorithm if it takes longer than before. */
static void mark_slower_algorithm(struct tp_work_change *change, const struct tp_work_diff *work,
                                  const struct tp_sides *sides, const struct tp_row_shift *shift)
{
    struct tp_row_sum rows = {
        .parts = {TP_VEC(sides->arena, struct tp_side_part), TP_VEC(sides->arena, struct tp_side_part)}};
    add_kernels(&rows, sides, work, change);
    struct tp_replaced_sum sum = tp_replaced_judge(sides, &rows, shift);
    if (sum.verdict == TP_CHANGE_REGRESSED)
        mark_slower_group(change, &sum);
}

static struct tp_replaced_sum judge_group(const struct tp_replaced *replaced, const struct tp_sides *sides,
                                          uint32_t group, bool is_host)
{
    const struct tp_row_shift *shift = is_host ? &replaced->host : &replaced->device;
    struct tp_row_sum rows;
    for (int s = 0; s < TP_SIDES; s++) {
        rows.parts[s] = TP_VEC(sides->arena, struct tp_side_part);
        for (uint32_t i = 0; i < sides->identity_count; i++)
            if (replaced->group_of[s][i] == group && tp_keys_get(&sides->keys, i)[0] == shift->kind)
                *(struct tp_side_part *)tp_vec_push(&rows.parts[s]) = (struct tp_side_part){i, replaced->part_of[s][i]};
    }
    return tp_replaced_judge(sides, &rows, shift);
}

/* Tests the device time of a group, or its host time if neither side has kernels. If the group has more operators than
 * before, its host time must not be longer either. */
static struct tp_replaced_sum judge_sum_of_group(const struct tp_replaced *replaced, const struct tp_sides *sides,
                                                 const struct tp_work_diff *work, uint32_t group)
{
    bool is_wall_clock = tp_sides_have_only_wall_clock(sides);
    bool is_more = tp_work_group_calls(work, group, TP_NEW) > tp_work_group_calls(work, group, TP_BASE);
    struct tp_replaced_sum sum = judge_group(replaced, sides, group, is_wall_clock);
    if (is_wall_clock || !is_more || sum.verdict == TP_CHANGE_REGRESSED)
        return sum;
    struct tp_replaced_sum host = judge_group(replaced, sides, group, true);
    sum.is_known &= host.is_known;
    return host.verdict == TP_CHANGE_REGRESSED ? host : sum;
}

/* Returns whether an input lost events that contribute to the times of a step. needs: bits of enum tp_need. */
static bool lacks_evidence(const struct tp_sides *sides, unsigned needs)
{
    struct tp_damage_runs runs[TP_SIDES];
    unsigned broken = 0;
    for (int s = 0; s < TP_SIDES; s++)
        runs[s] = tp_left_out_runs(sides, s);
    for (int s = 0; s < TP_SIDES; s++)
        broken |= tp_damage_unmet_needs(&runs[s], &runs[s == TP_BASE ? TP_NEW : TP_BASE]);
    return (broken & needs) != 0;
}

void tp_replaced_build(struct tp_replaced *replaced, const struct tp_sides *sides, const struct tp_comparability *c,
                       const struct tp_work_diff *work)
{
    const unsigned of_host = TP_NEED_FILE | TP_NEED_HOST | TP_NEED_CLOCK;
    *replaced = (struct tp_replaced){.group_count = work->group_count,
                                     .device = compute_common_shift(sides, TP_SUMMARY_OPERATOR_DEVICE),
                                     .algorithm = compute_common_shift(sides, TP_SUMMARY_OPERATOR_DEVICE),
                                     .host = compute_common_shift(sides, TP_SUMMARY_OPERATOR_HOST)};
    replaced->host.is_open = c->is_not_comparable || c->has_other_recorder_options || lacks_evidence(sides, of_host);
    replaced->algorithm.is_open = replaced->device.is_open =
        c->is_not_comparable || lacks_evidence(sides, of_host | TP_NEED_DEVICE | TP_NEED_RUNTIME);
    replaced->algorithm.least_ns = LEAST_SHARE * sides->side[TP_BASE].total_ns;
    find_rows_of_groups(replaced, sides, work);
    replaced->groups = tp_arena_array(sides->arena, (size_t)work->group_count + 1, sizeof *replaced->groups);
    for (uint32_t g = 1; g <= work->group_count; g++)
        replaced->groups[g] = judge_sum_of_group(replaced, sides, work, g);
}

void tp_replaced_mark_limited(struct tp_work_diff *work, const struct tp_sides *sides,
                              const struct tp_replaced *replaced)
{
    for (uint32_t i = 0; i < work->count; i++) {
        struct tp_work_change *change = &work->changes[i];
        const struct tp_replaced_sum *sum = &replaced->groups[change->group];
        bool is_slower = sum->verdict == TP_CHANGE_REGRESSED;
        if (change->kind == TP_WORK_CHANGE_ALGORITHM && change->name.len)
            mark_slower_algorithm(change, work, sides, &replaced->algorithm);
        if (!change->group)
            continue;
        bool is_more =
            tp_work_group_calls(work, change->group, TP_NEW) > tp_work_group_calls(work, change->group, TP_BASE);
        change->is_counted_by_limit = is_more && !sum->is_known;
        if (is_slower)
            mark_slower_group(change, sum);
    }
}
