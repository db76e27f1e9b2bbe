/* Decides the verdict on the change of each row. See changes_build.h. */
#include "webreport/compare/two/changes_build.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/noise/run_change.h"
#include "webreport/compare/two/function_judge.h"
#include "webreport/compare/two/row_judge.h"
#include "webreport/measure/audience/phrases.h"

/* Sum of the rows of one side in a match. */
struct total {
    double ns, calls;
    bool is_count_constant;
};

static struct total total_of_match(const struct tp_sides *sides, const struct tp_match *match, int side)
{
    /* a count is constant only if there are at least two steps */
    struct total total = {.is_count_constant = sides->side[side].step_count >= 2};
    for (uint32_t i = 0; i < match->member_count[side]; i++) {
        const struct tp_side_row *row = tp_sides_row(sides, side, match->members[side][i]);
        total.is_count_constant &= row->is_count_constant;
        total.ns += row->ns;
        total.calls += row->calls;
    }
    return total; /* a match without rows on this side has no calls in any step */
}

static int64_t round_to_whole_ns(double ns)
{
    return isnan(ns) ? 0 : ns >= 9e18 ? INT64_MAX : ns <= -9e18 ? -INT64_MAX : (int64_t)llround(ns);
}

static void split_change_by_count_and_time(struct tp_change *change)
{
    double base_call = change->call_ns[TP_BASE], more_calls = change->calls[TP_NEW] - change->calls[TP_BASE];
    double by_count = change->ns[TP_NEW] - change->ns[TP_BASE];
    change->change_ns = round_to_whole_ns(by_count);
    if (change->calls[TP_NEW] > 0 && change->calls[TP_BASE] > 0)
        by_count = more_calls * base_call;
    change->change_by_call_count_ns = round_to_whole_ns(by_count);
    if (__builtin_sub_overflow(change->change_ns, change->change_by_call_count_ns, &change->change_by_call_time_ns)) {
        /* the sums are near the limits of int64, which occurs only in damaged or hostile files */
        change->change_by_call_count_ns = change->change_ns;
        change->change_by_call_time_ns = 0;
    }
}

/* Returns whether a run of the side has a row "(rest)" of this kind. Such a row sums all rows that did not fit in
 * the summary. */
static bool has_row_for_rest(const struct tp_side_input *side, enum tp_summary_kind kind)
{
    for (uint32_t r = 0; r < side->run_count; r++)
        for (uint32_t i = 0; i < side->runs[r].row_count; i++)
            if (side->runs[r].rows[i].kind == kind && tp_str_equal(side->runs[r].rows[i].name, TP_STR(TP_SUMMARY_REST)))
                return true;
    return false;
}

static bool is_module_kind(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_MODULE_DEVICE || kind == TP_SUMMARY_MODULE_HOST;
}

static bool has_row_of_kind(const struct tp_side_input *side, enum tp_summary_kind kind)
{
    for (uint32_t r = 0; r < side->run_count; r++)
        for (uint32_t i = 0; i < side->runs[r].row_count; i++)
            if (side->runs[r].rows[i].kind == kind)
                return true;
    return false;
}

/* Finds the kinds in which a row on only one side is not treated as added or removed. If the steps do the same work, a
 * small row that one side lacks is part of that side's "(rest)". Modules are missing if a side was recorded without
 * them. */
static void find_kinds_with_cut_rows(bool is_cut[TP_SUMMARY_KIND_COUNT], const struct tp_sides *sides,
                                     const struct tp_change_limits *limits)
{
    for (enum tp_summary_kind kind = 0; kind < TP_SUMMARY_KIND_COUNT; kind++)
        is_cut[kind] = (limits->is_work_same && (has_row_for_rest(sides->side[TP_BASE].input, kind) ||
                                                 has_row_for_rest(sides->side[TP_NEW].input, kind))) ||
                       (is_module_kind(kind) && !(has_row_of_kind(sides->side[TP_BASE].input, kind) &&
                                                  has_row_of_kind(sides->side[TP_NEW].input, kind)));
}

/* Returns whether the number of calls per step changed. Counts that vary between steps, and rows that a summary cut
 * off, are no evidence. If the steps do the same work, waits at other lines and work in other modules are no evidence
 * either, because one side may be recorded without stacks. */
static bool is_count_changed(const struct tp_change *change, const struct total totals[TP_SIDES], const bool *is_cut,
                             bool is_work_same)
{
    if (is_work_same && (change->identity.kind == TP_SUMMARY_SYNC || is_module_kind(change->identity.kind)))
        return false;
    if (is_cut[change->identity.kind] &&
        (change->match->kind != TP_MATCH_SAME || tp_str_equal(change->identity.name, TP_STR(TP_SUMMARY_REST))))
        return false;
    return totals[TP_BASE].calls != totals[TP_NEW].calls && totals[TP_BASE].is_count_constant &&
           totals[TP_NEW].is_count_constant;
}

/* Returns whether a changed count of the row is reported even if its time is small. The result is true for waits and
 * copies, but false for memory sets, which depend on the algorithm that a library chooses. */
static bool is_reported_by_count(const struct tp_identity *identity)
{
    return identity->kind == TP_SUMMARY_SYNC ||
           (identity->kind == TP_SUMMARY_COPY && tp_str_find(identity->name, "Memset") < 0);
}

static enum tp_change_verdict verdict_by_sign(double difference)
{
    return difference > 0 ? TP_CHANGE_REGRESSED : difference < 0 ? TP_CHANGE_IMPROVED : TP_CHANGE_NEUTRAL;
}

/* Returns whether the row has different kernels on the two sides. */
static bool is_kernel_of_other_name(const struct tp_change *change)
{
    return change->match->kind >= TP_MATCH_RENAMED;
}

/* Decides the verdict on a changed number of calls. The time of the added or removed calls must be at least
 * TP_CHANGE_LEAST_SHARE of BASE's step. The time of the whole row must have changed in the same direction. Runtime
 * calls get no verdict, because they follow from the work that they start. */
static enum tp_change_verdict judge_call_count(const struct tp_change *change, double step_ns)
{
    if (!change->is_count_change)
        return TP_CHANGE_NEUTRAL;
    if (is_reported_by_count(&change->identity))
        return verdict_by_sign(change->calls[TP_NEW] - change->calls[TP_BASE]);
    if (is_kernel_of_other_name(
            change)) /* judge_times_of_kernels decides the verdict on the sum of all replaced kernels */
        return TP_CHANGE_NEUTRAL;
    bool is_sampled = change->identity.kind == TP_SUMMARY_FUNCTION || change->identity.kind == TP_SUMMARY_PART;
    if (change->identity.kind == TP_SUMMARY_RUNTIME || is_sampled ||
        !(fabs((double)change->change_by_call_count_ns) >= TP_CHANGE_LEAST_SHARE * step_ns))
        return TP_CHANGE_NEUTRAL;
    enum tp_change_verdict by_count = verdict_by_sign((double)change->change_by_call_count_ns);
    return by_count == verdict_by_sign((double)change->change_ns) ? by_count : TP_CHANGE_NEUTRAL;
}

/* Returns whether the row is a kernel that replaces another one in every step and takes a relevant share of the step.
 */
static bool is_kernel_replaced(const struct tp_change *change, const struct total totals[TP_SIDES], double step_ns)
{
    return change->identity.kind == TP_SUMMARY_KERNEL && is_kernel_of_other_name(change) &&
           totals[TP_BASE].is_count_constant && totals[TP_NEW].is_count_constant &&
           fmax(change->ns[TP_BASE], change->ns[TP_NEW]) >= TP_CHANGE_LEAST_SHARE * step_ns;
}

static void init_change(struct tp_change *change, const struct tp_sides *sides, const struct tp_match *match,
                        struct total totals[TP_SIDES])
{
    *change = (struct tp_change){.match = match, .interval = {NAN, NAN, NAN}, .cause = TP_NO_ID};
    change->identity = tp_sides_identity(sides, tp_match_identity(match));
    change->line = tp_sides_line(sides, match->member_count[TP_NEW] ? TP_NEW : TP_BASE, tp_match_identity(match));
    if (match->has_no_shape)
        change->identity.shape = change->identity.dtype = TP_STR("");
    for (int s = 0; s < TP_SIDES; s++) {
        totals[s] = total_of_match(sides, match, s);
        change->calls[s] = totals[s].calls;
        change->ns[s] = totals[s].ns;
        change->call_ns[s] = change->calls[s] > 0 ? change->ns[s] / change->calls[s] : NAN;
    }
    change->share = (change->ns[TP_NEW] - change->ns[TP_BASE]) / sides->side[TP_BASE].total_ns;
    split_change_by_count_and_time(change);
}

static void mark_reported_change(struct tp_change *change, const struct tp_change_limits *limits,
                                 bool is_replaced_kernel)
{
    change->is_reported = change->verdict == TP_CHANGE_IMPROVED || change->verdict == TP_CHANGE_REGRESSED ||
                          change->verdict == TP_CHANGE_HINT || is_replaced_kernel;
    if (limits->is_open && change->verdict != TP_CHANGE_NEUTRAL)
        change->verdict = TP_CHANGE_INCONCLUSIVE;
}

/* ---- tests of row times ---- */

/* The rows that are tested together. changes: for each row, the index of its change. */
struct judged {
    struct tp_row_levels *rows;
    uint32_t *changes, count;
};

/* Returns the kind of rows that are tested: kernels, or host operators if neither side has kernels. */
static enum tp_summary_kind kind_of_judged_rows(const struct tp_changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++)
        if (changes->items[i].identity.kind == TP_SUMMARY_KERNEL)
            return TP_SUMMARY_KERNEL;
    return TP_SUMMARY_OPERATOR_HOST;
}

/* Returns the time of all rows of the kind in BASE, ns per step. */
static double total_time_of_kind(const struct tp_changes *changes, const struct tp_sides *sides,
                                 enum tp_summary_kind kind)
{
    double all = sides->side[TP_BASE].part_ns[kind == TP_SUMMARY_KERNEL ? TP_PART_DEVICE_SUM : TP_PART_HOST_SUM],
           sum = 0;
    for (uint32_t i = 0; i < changes->count; i++)
        sum += changes->items[i].identity.kind == kind ? changes->items[i].ns[TP_BASE] : 0;
    return all > 0 ? all : sum;
}

static void add_row_to_judge(struct judged *judged, const struct tp_changes *changes, uint32_t at,
                             const struct tp_sides *sides, double all)
{
    const struct tp_change *change = &changes->items[at];
    const struct tp_match *match = change->match;
    double calls[TP_SIDES];
    struct tp_side_levels levels[TP_SIDES];
    if (match->kind != TP_MATCH_SAME || !(change->ns[TP_BASE] > TP_CHANGE_LEAST_SHARE * all))
        return;
    if (match->has_no_shape && (match->member_count[TP_BASE] != 1 || match->member_count[TP_NEW] != 1))
        return; /* the levels are those of single rows */
    for (int s = 0; s < TP_SIDES; s++)
        levels[s] = tp_sides_row_levels(&calls[s], sides, s, match->members[s][0]);
    if (!levels[TP_BASE].levels || !levels[TP_NEW].levels || calls[TP_BASE] != calls[TP_NEW])
        return;
    judged->rows[judged->count] = (struct tp_row_levels){
        levels[TP_BASE].levels,    levels[TP_NEW].levels, levels[TP_BASE].cvs[0], levels[TP_NEW].cvs[0],
        change->ns[TP_BASE] / all, levels[TP_BASE].lows,  levels[TP_NEW].lows};
    judged->changes[judged->count++] = at;
}

static struct judged find_judged_rows(const struct tp_changes *changes, const struct tp_sides *sides)
{
    enum tp_summary_kind kind = kind_of_judged_rows(changes);
    double all = total_time_of_kind(changes, sides, kind);
    struct judged judged = {tp_arena_array(sides->arena, changes->count, sizeof *judged.rows),
                            tp_arena_array(sides->arena, changes->count, sizeof *judged.changes), 0};
    for (uint32_t i = 0; i < changes->count; i++)
        if (changes->items[i].identity.kind == kind)
            add_row_to_judge(&judged, changes, i, sides, all);
    return judged;
}

/* Returns the smallest share of a total that the change of a row, or of data loading, must have for a verdict. Smaller
 * changes of wall clock are hints. */
static double smallest_judged_share(const struct tp_sides *sides)
{
    const double of_wall_clock = 0.01;
    return tp_sides_have_only_wall_clock(sides) ? of_wall_clock : TP_CHANGE_LEAST_SHARE;
}

/* Returns the verdict on a row. share: time of the row divided by the total. least: share of the total that the change
 * must have for a verdict. is_alone: there are enough runs for a verdict on a single row. has_moved: at least one total
 * changed. */
static enum tp_change_verdict verdict_of_row(const struct tp_row_verdict *row, double share, double least,
                                             bool is_alone, bool has_moved)
{
    double own = fabs(row->estimate) * share;
    if (!(own >= TP_CHANGE_LEAST_SHARE))
        return TP_CHANGE_NEUTRAL;
    if (is_alone && row->is_sure && row->is_confirmed && own >= least)
        return verdict_by_sign(row->estimate);
    return row->is_listed && (is_alone || has_moved) ? TP_CHANGE_HINT : TP_CHANGE_NEUTRAL;
}

/* Returns the interval of a row's change, ns of a typical step. */
static struct tp_confidence_interval interval_of_row(const struct tp_row_levels *levels,
                                                     const struct tp_row_verdict *row, uint32_t runs)
{
    double base = exp(tp_sum(levels->base, runs) / runs), change = log1p(row->estimate);
    return (struct tp_confidence_interval){base * row->estimate, base * expm1(change - row->half_width),
                                           base * expm1(change + row->half_width)};
}

static bool has_total_moved(const struct tp_total totals[TP_QUANTITIES])
{
    for (int q = 0; q < TP_QUANTITIES; q++)
        if (totals[q].verdict != TP_CHANGE_NEUTRAL)
            return true;
    return false;
}

static void judge_times_of_rows(struct tp_changes *changes, const struct tp_sides *sides,
                                const struct tp_total totals[TP_QUANTITIES], double doubt)
{
    uint32_t base_count = sides->side[TP_BASE].input->run_count, new_count = sides->side[TP_NEW].input->run_count;
    bool is_alone = base_count + new_count >= TP_VERDICT_RUNS, has_moved = has_total_moved(totals);
    struct judged judged = find_judged_rows(changes, sides);
    struct tp_row_judgement judgement =
        tp_rows_judge(judged.rows, judged.count, (const size_t[]){base_count, new_count}, doubt,
                      tp_sides_have_only_wall_clock(sides), sides->arena);
    changes->tested_count = judged.count;
    changes->shift = expm1(judgement.shift);
    changes->low_shift = judgement.low_shift;
    for (uint32_t i = 0; judgement.rows && i < judged.count; i++) {
        struct tp_change *change = &changes->items[judged.changes[i]];
        change->interval = interval_of_row(&judged.rows[i], &judgement.rows[i], base_count);
        change->verdict =
            verdict_of_row(&judgement.rows[i], judged.rows[i].share, smallest_judged_share(sides), is_alone, has_moved);
    }
}

bool tp_changes_are_due_to_machine(const struct tp_changes *changes, const struct tp_sides *sides,
                                   const struct tp_total totals[TP_QUANTITIES], double threshold)
{
    const double least = log1p(0.1);
    double shift = log1p(changes->shift);
    if (!tp_sides_have_only_wall_clock(sides) || !(fabs(shift) >= least) || !has_total_moved(totals))
        return false;
    for (int q = 0; q < TP_QUANTITIES; q++) {
        const struct tp_run_change *change = &totals[q].change;
        if (totals[q].verdict == TP_CHANGE_NEUTRAL)
            continue;
        if (expm1(log1p(change->low) - shift) > threshold || expm1(log1p(change->high) - shift) < -threshold)
            return false;
    }
    return true;
}

/* Returns the levels of NEW (logarithms) without the shift that all rows share. */
static struct tp_side_levels remove_common_shift(const struct tp_sides *sides, const struct tp_side_levels *of,
                                                 double shift)
{
    uint32_t runs = sides->side[TP_NEW].input->run_count;
    struct tp_side_levels levels = *of;
    levels.levels = of->levels ? tp_arena_array(sides->arena, runs, sizeof(double)) : NULL;
    for (uint32_t r = 0; levels.levels && r < runs; r++)
        levels.levels[r] = of->levels[r] - shift;
    return levels;
}

/* Returns whether short steps confirm a change of data loading. For wall clock, the short steps must have changed
 * both by themselves and relative to the operators. A busy machine slows a single thread less than operators that
 * wait for each other. Without enough operators, a slower loader resembles a busy machine. */
static bool is_loading_confirmed(const struct tp_changes *changes, const struct tp_sides *sides,
                                 const struct tp_side_levels levels[TP_SIDES], double estimate)
{
    if (!tp_sides_have_only_wall_clock(sides))
        return true;
    if (isnan(changes->low_shift) || !levels[TP_BASE].lows || !levels[TP_NEW].lows)
        return false;
    double change = log1p(estimate), low = tp_sides_change_of_short_steps(sides, levels);
    return tp_short_steps_confirm(change, low - changes->low_shift) && tp_short_steps_confirm(change, low);
}

/* Adds the change of data loading. Data loading has no row, because no operator, kernel or copy explains its time. The
 * times are tested like wall times. With few runs, the verdict is a hint. */
static void add_data_loading(struct tp_changes *changes, const struct tp_sides *sides,
                             const struct tp_change_limits *limits, double doubt)
{
    static const struct tp_match none = {.kind = TP_MATCH_SAME};
    const struct tp_side *base = &sides->side[TP_BASE], *new_side = &sides->side[TP_NEW];
    struct tp_side_levels levels[TP_SIDES] = {base->loading, new_side->loading};
    double ns[TP_SIDES] = {base->part_ns[TP_PART_DATALOADER], new_side->part_ns[TP_PART_DATALOADER]};
    if (tp_sides_have_only_wall_clock(sides))
        levels[TP_NEW] = remove_common_shift(sides, &levels[TP_NEW], log1p(changes->shift));
    struct tp_total total =
        tp_total_of_quantity(sides, TP_QUANTITY_STEP, levels,
                             &(struct tp_change_limits){.threshold = limits->threshold}, doubt / TP_RUN_ERROR_CHANCE);
    struct tp_change *change = &changes->items[changes->count++];
    *change = (struct tp_change){.match = &none,
                                 .identity = {TP_SUMMARY_KIND_COUNT,
                                              tp_str_of(tp_phrase(TP_PHRASE_INPUT, tp_sides_producer(sides))),
                                              TP_STR(""), TP_STR(""), TP_STR("")},
                                 .calls = {NAN, NAN},
                                 .ns = {ns[TP_BASE], ns[TP_NEW]},
                                 .call_ns = {NAN, NAN},
                                 .interval = {ns[TP_BASE] * total.change.estimate, ns[TP_BASE] * total.change.low,
                                              ns[TP_BASE] * total.change.high},
                                 .cause = TP_NO_ID};
    change->share = (ns[TP_NEW] - ns[TP_BASE]) / base->total_ns;
    change->change_by_call_time_ns = change->change_ns = round_to_whole_ns(ns[TP_NEW] - ns[TP_BASE]);
    bool is_alone = base->input->run_count + new_side->input->run_count >= TP_VERDICT_RUNS &&
                    fabs(change->share) >= smallest_judged_share(sides) &&
                    is_loading_confirmed(changes, sides, levels, total.change.estimate);
    if (fabs(change->share) >= TP_CHANGE_LEAST_SHARE && total.verdict != TP_CHANGE_NEUTRAL)
        change->verdict = is_alone ? total.verdict : TP_CHANGE_HINT;
    mark_reported_change(change, limits, false);
}

/* ---- sums of replaced operators and kernels ---- */

/* Returns whether a row belongs to operators that replace others. Only the sum of such rows is tested. */
static bool is_row_of_replaced_operators(const struct tp_change *change, const struct tp_replaced *replaced)
{
    for (int s = 0; s < TP_SIDES; s++)
        for (uint32_t i = 0; i < change->match->member_count[s]; i++)
            if (replaced->group_of[s][change->match->members[s][i]])
                return true;
    return false;
}

static void copy_verdict_of_group(struct tp_change *change, const struct tp_replaced_sum *sum)
{
    change->verdict = sum->verdict;
    change->interval = sum->interval;
}

/* Decides the verdict on the sum of kernels that replace others of the same operator. The kernel that changed most in
 * the direction of the sum gets the verdict. */
static void judge_times_of_kernels(struct tp_changes *changes, const struct tp_sides *sides,
                                   const struct tp_matches *matches, const struct tp_row_shift *shift)
{
    for (uint32_t k = 1; k <= matches->kernel_count; k++) {
        struct tp_change *most = NULL;
        struct tp_row_sum rows;
        for (int s = 0; s < TP_SIDES; s++)
            rows.parts[s] = TP_VEC(sides->arena, struct tp_side_part);
        for (uint32_t i = 0; i < matches->count; i++) {
            const struct tp_match *match = &matches->items[i];
            for (int s = 0; s < TP_SIDES && match->kernel == k; s++)
                for (uint32_t at = 0; at < match->member_count[s]; at++)
                    *(struct tp_side_part *)tp_vec_push(&rows.parts[s]) =
                        (struct tp_side_part){match->members[s][at], 1};
        }
        struct tp_replaced_sum sum = tp_replaced_judge(sides, &rows, shift);
        bool is_slower = sum.verdict == TP_CHANGE_REGRESSED;
        for (uint32_t i = 0; i < matches->count && sum.verdict != TP_CHANGE_NEUTRAL; i++)
            if (matches->items[i].kernel == k &&
                (!most || (changes->items[i].change_ns > most->change_ns) == is_slower))
                most = &changes->items[i];
        if (most)
            copy_verdict_of_group(most, &sum);
    }
}

static void judge_times_of_replaced_groups(struct tp_changes *changes, const struct tp_sides *sides,
                                           const struct tp_matches *matches, const struct tp_replaced *replaced)
{
    judge_times_of_kernels(changes, sides, matches, &replaced->algorithm);
    for (uint32_t i = 0; i < matches->count; i++) {
        const struct tp_replaced_sum *sum = &replaced->groups[matches->items[i].group];
        enum tp_summary_kind kind = changes->items[i].identity.kind;
        if (matches->items[i].group && kind == (sum->is_host ? TP_SUMMARY_OPERATOR_HOST : TP_SUMMARY_KERNEL))
            copy_verdict_of_group(&changes->items[i], sum);
    }
}

void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_replaced *replaced, const struct tp_total totals[TP_QUANTITIES],
                      const struct tp_change_limits *limits)
{
    double step_ns = sides->side[TP_BASE].total_ns;
    bool has_loading = !isnan(sides->side[TP_BASE].part_ns[TP_PART_DATALOADER]) &&
                       !isnan(sides->side[TP_NEW].part_ns[TP_PART_DATALOADER]);
    /* the probability of a wrong verdict is divided between data loading and the rows */
    double doubt = tp_totals_error_chance_of_rows(totals) / (has_loading ? 2 : 1);
    bool is_cut[TP_SUMMARY_KIND_COUNT];
    bool *is_new_kernel = tp_arena_array(sides->arena, matches->count, sizeof *is_new_kernel);
    *changes =
        (struct tp_changes){.items = tp_arena_array(sides->arena, (size_t)matches->count + 1, sizeof *changes->items),
                            .count = matches->count};
    find_kinds_with_cut_rows(is_cut, sides, limits);
    for (uint32_t i = 0; i < matches->count; i++) {
        struct tp_change *change = &changes->items[i];
        struct total sums[TP_SIDES];
        init_change(change, sides, &matches->items[i], sums);
        bool is_judged_as_sum =
            is_row_of_replaced_operators(change, replaced) && !is_reported_by_count(&change->identity);
        change->is_count_change = !is_judged_as_sum && is_count_changed(change, sums, is_cut, limits->is_work_same);
        is_new_kernel[i] = is_kernel_replaced(change, sums, step_ns);
    }
    judge_times_of_rows(changes, sides, totals, doubt);
    judge_times_of_replaced_groups(changes, sides, matches, replaced);
    tp_functions_judge(changes, sides);
    for (uint32_t i = 0; i < matches->count; i++) {
        struct tp_change *change = &changes->items[i];
        if (change->verdict == TP_CHANGE_NEUTRAL)
            change->verdict = judge_call_count(change, step_ns);
        mark_reported_change(change, limits, is_new_kernel[i]);
    }
    if (has_loading)
        add_data_loading(changes, sides, limits, doubt);
    tp_changes_find_causes(changes);
}
