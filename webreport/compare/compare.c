/* Two sides compared: see compare.h. */
#include "webreport/compare/compare.h"

#include <math.h>

#include "webreport/compare/damage.h"
#include "writer/text/format.h"

/* The step: a median ratio beyond the floor that too few steps stand behind is no verdict. */
static void judge_step(struct tp_compare *c)
{
    const struct tp_side *base = &c->sides.side[TP_BASE], *new_side = &c->sides.side[TP_NEW];
    struct tp_bounds ratio = tp_median_ratio(base->step_ns, base->step_count, new_side->step_ns, new_side->step_count,
                                             TP_CHANGE_CONFIDENCE, c->arena);
    c->step = (struct tp_bounds){ratio.estimate - 1, ratio.low - 1, ratio.high - 1};
    c->step_verdict = tp_bounds_verdict(&c->step, c->floor);
    if (fabs(c->step.estimate) > c->floor && isnan(c->step.low))
        c->step_verdict = TP_CHANGE_INCONCLUSIVE;
    if (*c->damage || ((c->is_open || c->comparability.is_recorded_otherwise) && c->step_verdict != TP_CHANGE_NEUTRAL))
        c->step_verdict = TP_CHANGE_INCONCLUSIVE;
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
    const struct tp_side *base = &c->sides.side[TP_BASE], *new_side = &c->sides.side[TP_NEW];
    c->noise_floor =
        tp_noise_floor(base->run_medians, base->median_count, new_side->run_medians, new_side->median_count, c->arena);
    c->floor = fmax(c->noise_floor, c->options.threshold);
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
    }
}

/* Steps and memory decide; when both are neutral, what changed inside. Rows that are slower do not fail a run whose
 * median step is faster by more than the floor, only not surely so. */
static enum tp_change_verdict judge(const struct tp_compare *c)
{
    if (c->is_work_changed)
        return TP_CHANGE_REGRESSED;
    if (c->is_open)
        return TP_CHANGE_INCONCLUSIVE;
    if (c->step_verdict == TP_CHANGE_REGRESSED || c->memory_verdict == TP_CHANGE_REGRESSED)
        return TP_CHANGE_REGRESSED;
    if (c->step_verdict != TP_CHANGE_NEUTRAL)
        return c->step_verdict;
    if (c->regressed_count && !(c->step.estimate < -c->floor))
        return TP_CHANGE_REGRESSED;
    return c->improved_count || c->memory_verdict == TP_CHANGE_IMPROVED ? TP_CHANGE_IMPROVED : TP_CHANGE_NEUTRAL;
}

const char *tp_compare_verdict_word(const struct tp_compare *c)
{
    if (c->is_work_changed)
        return "work changed";
    return c->comparability.workload == TP_WORKLOAD_OTHER && !*c->damage ? "other workload"
                                                                         : tp_change_verdict_name(c->verdict);
}

/* Damage of either side, ranks that only the other one has among it. */
static const char *damage_of(const struct tp_compare *c)
{
    struct tp_damage_runs runs[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++)
        runs[s] = (struct tp_damage_runs){c->sides.side[s].input->runs, c->sides.side[s].input->run_count};
    for (int s = 0; s < TP_SIDES; s++) {
        struct tp_rank_set missing;
        const struct tp_damage_runs *others = &runs[s == TP_BASE ? TP_NEW : TP_BASE];
        const char *side = s == TP_BASE ? "base" : "new";
        const char *reason = tp_damage_reason(&runs[s], others, TP_NEED_ALL, c->arena);
        if (*reason)
            return tp_text_printf(c->arena, "%s: %s", side, reason);
        tp_damage_missing_ranks(&missing, &runs[s], others, c->arena);
        if (missing.count && !c->sides.side[s].input->is_one_trace)
            return tp_text_printf(c->arena, "%s: %s", side, tp_damage_ranks_text(&missing, c->arena));
    }
    return "";
}

void tp_compare_build(struct tp_compare *compare, const struct tp_side_input inputs[TP_SIDES],
                      const struct tp_calltree *const trees[TP_SIDES], const struct tp_compare_options *options,
                      struct tp_arena *arena)
{
    *compare = (struct tp_compare){.arena = arena, .options = *options};
    for (int s = 0; s < TP_SIDES; s++)
        compare->names[s] = inputs[s].name;
    tp_sides_build(&compare->sides, inputs, arena);
    measure_steps(compare);
    tp_comparability_build(&compare->comparability, &compare->sides);
    compare->damage = damage_of(compare);
    compare->is_open = compare->comparability.is_low || *compare->damage;
    tp_work_sides_build(&compare->work, &compare->sides, &compare->comparability);
    compare->is_work_changed = !*compare->damage && tp_work_has_gated(&compare->work);
    judge_step(compare);
    tp_matches_build(&compare->matches, &compare->sides);
    tp_changes_build(&compare->changes, &compare->sides, &compare->matches,
                     &(struct tp_change_limits){compare->floor, compare->is_open});
    count_causes(compare);
    tp_compare_memory(compare);
    compare->verdict = judge(compare);
    tp_difftree_build(&compare->tree, &compare->sides, trees, arena);
    tp_compare_fill_tables(compare);
}
