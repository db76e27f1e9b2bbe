/* Checks limits on times relative to a baseline. Computes the change between runs with its interval, and from it the
 * verdict on one limit. See gate_parts.h. */
#include <math.h>

#include "webreport/compare/gate/gate_parts.h"
#include "webreport/compare/gate/metric_amount.h"
#include "webreport/compare/noise/level_history.h"
#include "webreport/measure/metrics/metric_values.h"
#include "writer/text/format.h"

/* ---- changes ---- */

/* Returns whether a metric is a time of device work, which does not depend on the load of the host. */
static bool is_kernel_time(const struct tp_metric *metric)
{
    return metric->unit == TP_UNIT_NS &&
           (metric->value == tp_metric_of_kernels ||
            (metric->value == tp_metric_of_range && metric->which == TP_METRIC_RANGE_DEVICE) ||
            (metric->value == tp_metric_average_time && metric->which == TP_CATEGORY_KERNEL));
}

bool tp_check_is_host_time(const struct tp_metric *metric)
{
    return metric->is_timed && !is_kernel_time(metric);
}

/* Returns the part of a step whose noise determines the noise of the metric; TP_PART_COUNT for the whole step. */
static enum tp_summary_part part_with_noise_of_metric(const struct tp_metric *metric)
{
    if (is_kernel_time(metric))
        return TP_PART_DEVICE_SUM;
    if (metric->value == tp_metric_average_time && metric->which <= (int)TP_AVERAGE_OTHER)
        return (enum tp_summary_part)metric->which; /* both enums have the same order */
    return TP_PART_COUNT;
}

/* Returns whether the metric describes typical steps. Percentile 90 and maximum describe long steps, which a busy
 * machine can cause. */
static bool is_typical_step_time(const struct tp_metric *metric)
{
    bool is_of_steps =
        metric->value == tp_metric_of_steps && metric->which != TP_STEPS_P90 && metric->which != TP_STEPS_MAX;
    return is_of_steps || metric->value == tp_metric_average_time;
}

/* Returns the level of a run's steps. All members of the level are NaN if the run has too few steps. */
static struct tp_run_level level_of_step_part(const struct tp_summary *run, enum tp_summary_part part,
                                              struct tp_arena *arena)
{
    double *totals = tp_arena_array(arena, run->step_count, sizeof *totals);
    double *values = tp_arena_array(arena, run->step_count, sizeof *values);
    size_t count = 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct tp_summary_step *step = &run->steps[i];
        if (step->is_left_out)
            continue;
        bool is_known = part < TP_PART_COUNT && step->part_ns[part] != TP_NULL_INT;
        totals[count] = (double)step->total_ns;
        values[count++] = (double)(is_known ? step->part_ns[part] : step->total_ns);
    }
    if (count < TP_LEVEL_LEAST_STEPS)
        return (struct tp_run_level){NAN, NAN, NAN};
    size_t warm = tp_warm_up_count(totals, count, arena);
    return tp_run_level_of_steps(values + warm, count - warm);
}

/* Levels of a metric in all runs of the baseline and in the checked runs. */
struct levels {
    struct tp_levels base, accepted, runs;
    /* one value for each baseline run, then for each checked run. cvs: coefficient of variation of the run's steps;
     * lows: level of its short steps */
    double *cvs, *lows;
    size_t cv_count;
    bool has_steps; /* true: every run has enough steps */
};

static bool add_levels_of_runs(struct levels *l, struct tp_levels *out, const struct tp_summary *runs, size_t count,
                               const struct tp_budget_line *line, struct tp_arena *arena)
{
    double *items = tp_arena_array(arena, count, sizeof *items);
    bool is_positive = true;
    for (size_t i = 0; i < count; i++) {
        double value = tp_check_value_of_run(&runs[i], line).value;
        struct tp_run_level level =
            level_of_step_part(&runs[i], part_with_noise_of_metric(&tp_metrics[line->metric]), arena);
        is_positive &= value > 0 && isfinite(value);
        items[i] = log(value);
        l->has_steps &= !isnan(level.cv);
        l->lows[l->cv_count] = level.low;
        l->cvs[l->cv_count++] = isnan(level.cv) ? 0 : level.cv;
    }
    *out = (struct tp_levels){items, count};
    return is_positive;
}

/* Properties of the steps from which a change is computed. */
struct steps {
    bool have_enough_steps; /* true: every run has enough steps */
    double low;             /* change of the short steps, as a logarithm; NaN if unknown */
};

/* Compares the checked runs with the accepted runs. The bounds are NaN if a value is 0 or a run has too few steps. */
static struct tp_run_change change_from_accepted_runs(const struct tp_check_subject *s,
                                                      const struct tp_budget_line *line, struct steps *steps,
                                                      struct tp_arena *arena)
{
    size_t count = s->base_count + s->run_count;
    struct levels l = {.cvs = tp_arena_array(arena, count, sizeof(double)),
                       .lows = tp_arena_array(arena, count, sizeof(double)),
                       .has_steps = true};
    bool is_positive = add_levels_of_runs(&l, &l.base, s->base, s->base_count, line, arena);
    is_positive &= add_levels_of_runs(&l, &l.runs, s->runs, s->run_count, line, arena);
    *steps = (struct steps){l.has_steps, NAN};
    if (!is_positive || !l.has_steps)
        return (struct tp_run_change){.estimate = NAN, .low = NAN, .high = NAN, .detectable = NAN};
    enum tp_quantity quantity = is_kernel_time(&tp_metrics[line->metric]) ? TP_QUANTITY_KERNELS : TP_QUANTITY_STEP;
    struct tp_run_context context = {
        .prior = tp_run_noise_prior_estimate(quantity, l.cvs, l.cv_count, tp_sides_have_one_host(&s->sides))};
    l.accepted = (struct tp_levels){l.base.items, l.base.count < TP_ACCEPTED_RUNS ? l.base.count : TP_ACCEPTED_RUNS};
    steps->low = tp_short_steps_change(&(struct tp_levels){l.lows, l.accepted.count},
                                       &(struct tp_levels){l.lows + l.base.count, l.runs.count}, arena);
    /* if `low` is unknown, neither side has time of this kind, so that nothing changed */
    steps->low = isnan(steps->low) ? 0 : steps->low;
    if (l.accepted.count == l.base.count)
        return tp_run_change_of_sides(&l.base, &l.runs, &context, arena);
    return tp_level_history_change(&l.base, &l.accepted, &l.runs, &context, arena);
}

/* Fills a change in which one of the values is 0. Such a change has no noise: the whole value vanished, or a new
 * value appeared. */
static void fill_change_with_zero(struct tp_run_change *c, const struct tp_check_item *item)
{
    c->estimate = item->base_value > 0 ? item->value / item->base_value - 1 : item->value > 0 ? INFINITY : 0;
    c->low = c->high = c->estimate;
    c->detectable = 0;
}

/* Returns the limit as a relative change, where 0.03 is 3 %. */
static double limit_as_relative_change(const struct tp_check_item *item)
{
    const struct tp_budget_line *line = item->line;
    return line->kind == TP_LIMIT_RELATIVE ? line->limit / 100 : line->limit / item->base_value;
}

static double chance_beyond_limit(const struct tp_run_change *c, const struct tp_check_item *item)
{
    double beyond = tp_run_change_probability(c, limit_as_relative_change(item));
    return tp_budget_is_upper(item->line->op) ? beyond : 1 - beyond;
}

static struct tp_run_change measure_change(struct tp_check_item *item, const struct tp_check_subject *s,
                                           struct steps *steps, struct tp_arena *arena)
{
    struct tp_run_change c = change_from_accepted_runs(s, item->line, steps, arena);
    bool is_delta = item->line->kind == TP_LIMIT_DELTA, is_from_nothing = is_delta && !(item->base_value > 0);
    double scale = is_delta ? item->base_value : 100;
    if (isnan(c.low) && (!(item->value > 0) || !(item->base_value > 0)))
        fill_change_with_zero(&c, item);
    if (is_from_nothing) {
        item->change = item->low = item->high = item->value - item->base_value;
        item->detectable = 0;
        return c;
    }
    /* with several baseline runs, the base value is computed from the change */
    if (!is_delta && s->base_count > 1 && c.estimate > -1)
        item->base_value = item->value / (1 + c.estimate);
    item->change = (isnan(c.estimate) ? item->value / item->base_value - 1 : c.estimate) * scale;
    item->low = c.low * scale;
    item->high = c.high * scale;
    item->detectable = c.detectable * scale;
    item->base_runs = c.base_count;
    item->runs = c.new_count;
    if (c.base_count)
        item->chance = chance_beyond_limit(&c, item);
    return c;
}

/* ---- verdicts ---- */

/* Returns a text such as "10 + 3 runs detect changes from 1.3 % on". */
static const char *smallest_detectable_change_text(const struct tp_check_item *item, struct tp_arena *arena)
{
    enum tp_budget_kind kind = item->line->kind;
    enum tp_metric_unit unit = kind == TP_LIMIT_RELATIVE ? TP_UNIT_PERCENT : tp_metrics[item->line->metric].unit;
    return tp_text_printf(arena, "%zu + %zu runs detect changes from %s on", item->base_runs, item->runs,
                          tp_amount_text(arena, unit, item->detectable));
}

/* Returns advice for deciding an inconclusive limit. most: the limit as a relative change. */
static const char *needed_runs_text(const struct tp_run_change *c, double most, struct tp_arena *arena)
{
    unsigned needed = tp_runs_needed(&c->noise, fabs(most), c->base_count);
    if (!needed)
        return most == 0 ? "no number of runs can show that nothing changed, so allow some change"
                         : "even 200 runs per side cannot detect so small a change";
    if (needed <= c->new_count)
        return "the change is as large as the limit";
    return tp_text_printf(arena, "%s would be enough to decide",
                          tp_text_of_counted_noun(arena, needed - (int64_t)c->new_count, "more run", "more runs"));
}

static enum tp_limit_verdict limit_verdict(const struct tp_check_item *item)
{
    double limit = item->line->limit;
    enum tp_budget_op op = item->line->op;
    if (tp_budget_is_upper(op) ? item->low > limit : item->high < limit)
        return TP_LIMIT_FAIL;
    /* the value equals the limit and has no noise */
    if (op == TP_OP_LT && item->low == limit && item->high == limit)
        return TP_LIMIT_FAIL;
    if (op == TP_OP_GT && item->low == limit && item->high == limit)
        return TP_LIMIT_FAIL;
    return tp_budget_is_limit_kept(op, tp_budget_is_upper(op) ? item->high : item->low, limit) ? TP_LIMIT_PASS
                                                                                               : TP_LIMIT_UNCLEAR;
}

/* Returns whether short steps confirm a broken limit. If the limit demands a gain, short steps confirm that the gain
 * is missing. */
static bool is_change_confirmed(const struct tp_check_item *item, const struct tp_run_change *change, double low)
{
    double asked = log1p(limit_as_relative_change(item));
    asked = tp_budget_is_upper(item->line->op) ? fmin(0, asked) : fmax(0, asked);
    return isnan(low) || tp_short_steps_confirm(log1p(change->estimate) - asked, low - asked);
}

/* Returns a text on why a slow machine can explain a change of wall clock. Returns NULL if a slow machine does not
 * explain the change, and for metrics of kernels. */
static const char *reason_to_doubt_wall_clock(const struct tp_check_item *item, const struct tp_check_subject *s,
                                              const struct tp_run_change *change, const struct steps *steps,
                                              struct tp_arena *arena)
{
    const struct tp_metric *metric = &tp_metrics[item->line->metric];
    if (!tp_check_is_host_time(metric) || !tp_sides_have_only_wall_clock(&s->sides))
        return NULL;
    if (tp_sides_allow_only_hints(&s->sides))
        return tp_text_printf(arena,
                              "the load of the machine alone can change the wall-clock time of %zu runs by as much; at "
                              "least %d runs are needed to decide",
                              item->base_runs + item->runs, TP_VERDICT_RUNS);
    return is_typical_step_time(metric) && !is_change_confirmed(item, change, steps->low) ? TP_NOT_CONFIRMED : NULL;
}

enum tp_check_cause tp_check_judge_time(struct tp_check_item *item, const struct tp_check_subject *s,
                                        const char **reason, struct tp_arena *arena)
{
    enum tp_metric_unit unit = tp_metrics[item->line->metric].unit;
    enum tp_budget_kind kind = item->line->kind;
    struct steps steps;
    struct tp_run_change c = measure_change(item, s, &steps, arena);
    enum tp_limit_verdict verdict = limit_verdict(item);
    if (isnan(item->low)) {
        *reason = steps.have_enough_steps
                      ? "unclear: the value is 0 in some runs"
                      : tp_text_printf(arena, "unclear: each run needs at least %d steps", TP_LEVEL_LEAST_STEPS);
        return TP_CAUSE_NOISE;
    }
    *reason = tp_text_printf(arena, "99 %% interval %s to %s", tp_amount_change_text(arena, unit, kind, item->low),
                             tp_amount_change_text(arena, unit, kind, item->high));
    if (item->base_runs)
        *reason = tp_text_printf(arena, "%s; %s", *reason, smallest_detectable_change_text(item, arena));
    const char *why = verdict == TP_LIMIT_FAIL ? reason_to_doubt_wall_clock(item, s, &c, &steps, arena) : NULL;
    if (why) {
        *reason = tp_text_printf(arena, "unclear: %s; %s", *reason, why);
        return TP_CAUSE_NOISE;
    }
    if (verdict != TP_LIMIT_UNCLEAR)
        return verdict == TP_LIMIT_PASS ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND;
    *reason =
        tp_text_printf(arena, "unclear: %s; %s", *reason, needed_runs_text(&c, limit_as_relative_change(item), arena));
    return TP_CAUSE_NOISE;
}
