/* Compares two sides. See compare_build.h. */
#include "webreport/compare/two/compare_build.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/numbered_kernels.h"
#include "webreport/compare/two/changes_build.h"
#include "webreport/compare/two/damage.h"
#include "webreport/compare/two/left_out.h"
#include "webreport/trace/input_facts.h"
#include "writer/text/format.h"

/* Makes changes of host times inconclusive if the sides were recorded with different options, which change host
 * times. */
static void make_host_times_inconclusive(struct tp_compare *c)
{
    for (enum tp_quantity q = 0; q < TP_QUANTITIES && c->comparability.has_other_recorder_options; q++)
        if (q != TP_QUANTITY_KERNELS && c->totals[q].verdict != TP_CHANGE_NEUTRAL)
            c->totals[q].verdict = TP_CHANGE_INCONCLUSIVE;
}

/* Returns whether the short steps confirm the change of a total. Only wall clock needs this confirmation. */
static bool is_total_confirmed(const struct tp_compare *c, enum tp_quantity quantity)
{
    const struct tp_side_levels levels[TP_SIDES] = {c->sides.side[TP_BASE].quantities[quantity],
                                                    c->sides.side[TP_NEW].quantities[quantity]};
    return !tp_sides_have_only_wall_clock(&c->sides) ||
           tp_short_steps_confirm(log1p(c->totals[quantity].change.estimate),
                                  tp_sides_change_of_short_steps(&c->sides, levels));
}

/* Withdraws verdicts on totals if the machine was busy on one side, or if this is possible. */
static void remove_wall_clock_verdicts(struct tp_compare *c)
{
    c->was_machine_busy = tp_changes_are_due_to_machine(&c->changes, &c->sides, c->totals, c->options.threshold);
    for (enum tp_quantity q = 0; q < TP_QUANTITIES; q++) {
        enum tp_change_verdict *verdict = &c->totals[q].verdict;
        if (*verdict != TP_CHANGE_REGRESSED && *verdict != TP_CHANGE_IMPROVED)
            continue;
        if (c->was_machine_busy)
            *verdict = TP_CHANGE_INCONCLUSIVE;
        else if (tp_sides_allow_only_hints(&c->sides) || !is_total_confirmed(c, q))
            *verdict = TP_CHANGE_HINT;
    }
}

static void measure_steps(struct tp_compare *c)
{
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side *side = &c->sides.side[s];
        double *copy = tp_arena_array(c->arena, side->step_count, sizeof *copy);
        if (side->step_count)
            memcpy(copy, side->step_ns, side->step_count * sizeof *copy);
        c->step_ns[s] = tp_median(copy, side->step_count);
    }
}

static void count_causes(struct tp_compare *c)
{
    for (uint32_t i = 0; i < c->changes.count; i++) {
        const struct tp_change *change = &c->changes.items[i];
        if (!change->is_reported || change->cause != TP_NO_ID)
            continue;
        c->regressed_count += change->verdict == TP_CHANGE_REGRESSED;
        c->improved_count += change->verdict == TP_CHANGE_IMPROVED;
        c->replaced_count += change->verdict == TP_CHANGE_NEUTRAL;
        c->hint_count += change->verdict == TP_CHANGE_HINT;
    }
}

/* Returns the damage of both sides as text, including ranks that only one side has. Returns "" without damage. */
static const char *damage_text(struct tp_compare *c)
{
    struct tp_damage_runs runs[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++)
        runs[s] = tp_left_out_runs(&c->sides, s);
    for (int s = 0; s < TP_SIDES; s++) {
        struct tp_rank_set missing;
        const struct tp_damage_runs *others = &runs[s == TP_BASE ? TP_NEW : TP_BASE];
        const char *side = s == TP_BASE ? "base" : "new";
        const char *reason = tp_damage_reason(&runs[s], others, TP_NEED_ALL, &c->is_data_unknown, c->arena);
        if (*reason)
            return tp_text_printf(c->arena, "%s: %s", side, reason);
        tp_damage_missing_ranks(&missing, &runs[s], others, c->arena);
        if (missing.count && !c->sides.side[s].input->is_one_trace)
            return tp_text_printf(c->arena, "%s: %s", side, tp_damage_ranks_text(&missing, c->arena));
    }
    const char *reason = tp_left_out_reason(&c->sides);
    c->is_data_unknown |= *reason != 0;
    return reason;
}

void tp_compare_build(struct tp_compare *compare, const struct tp_side_input inputs[TP_SIDES],
                      const struct tp_calltree *const trees[TP_SIDES], const struct tp_compare_options *options,
                      struct tp_arena *arena)
{
    *compare = (struct tp_compare){.arena = arena, .options = *options};
    for (int s = 0; s < TP_SIDES; s++)
        compare->names[s] = inputs[s].name;
    struct tp_side_input *aligned = tp_arena_array(arena, TP_SIDES, sizeof *aligned);
    struct tp_numbered_runs renamed;
    tp_numbered_make_names_equal(aligned, inputs, &renamed, arena);
    tp_numbered_lines_build(&compare->lines, &inputs[TP_NEW], arena);
    tp_sides_build(&compare->sides, aligned, arena);
    tp_left_out_find(&compare->sides);
    measure_steps(compare);
    tp_comparability_build(&compare->comparability, &compare->sides);
    compare->damage = damage_text(compare);
    compare->is_open = compare->comparability.is_not_comparable || *compare->damage;
    struct tp_replaced replaced;
    tp_work_sides_build(&compare->work, &replaced, &compare->sides, &compare->comparability);
    compare->has_change_in_limited_work = !*compare->damage && tp_work_has_limited_change(&compare->work);
    const struct tp_change_limits limits = {options->threshold, compare->is_open,
                                            compare->work.is_known && compare->work.is_same};
    tp_totals_build(compare->totals, &compare->sides, &limits);
    make_host_times_inconclusive(compare);
    tp_matches_build(&compare->matches, &compare->sides, &replaced);
    tp_changes_build(&compare->changes, &compare->sides, &compare->matches, &replaced, compare->totals, &limits);
    remove_wall_clock_verdicts(compare);
    count_causes(compare);
    tp_compare_build_memory(compare);
    compare->verdict = tp_compare_judge(compare);
    static const struct tp_calltree *const no_trees[TP_SIDES];
    bool has_trees = !(compare->sides.left_out & (TP_UNKNOWN_OPERATORS | TP_UNKNOWN_STACKS));
    tp_difftree_build(&compare->tree, &compare->sides, has_trees ? trees : no_trees, &renamed, arena);
    tp_compare_fill_tables(compare);
}
