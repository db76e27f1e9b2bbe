/* One line of a budget against one subject: see gate.h. */
#include <math.h>

#include "webreport/compare/gate_parts.h"
#include "webreport/compare/metric_amount.h"
#include "webreport/measure/metric_values.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

#define CONFIDENCE 0.99

/* ---- values of a side ---- */

static bool is_upper(enum tp_budget_op op)
{
    return op == TP_OP_LE || op == TP_OP_LT;
}

static bool is_lower(enum tp_budget_op op)
{
    return op == TP_OP_GE || op == TP_OP_GT;
}

/* What a value is held against; base_value: NaN when it is not known, or not needed. */
static double limit_of(const struct tp_budget_line *line, double base_value)
{
    return line->kind == TP_LIMIT_ABSOLUTE ? line->limit
           : line->kind == TP_LIMIT_DELTA  ? base_value + line->limit
                                           : base_value * (1 + line->limit / 100);
}

/* The value of several runs: times by their median, counts by the one nearest to breaking the limit (for == and != of a
 * NaN: the newest). NaN with *why when a run does not tell. */
static double value_of(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line, double limit,
                       struct tp_arena *arena, const char **why)
{
    const struct tp_metric *metric = &tp_metrics[line->metric];
    double *values = tp_arena_array(arena, count, sizeof *values), worst = NAN;
    for (size_t i = 0; i < count; i++) {
        const struct tp_metric_value *v = &runs[i].metrics[line->metric];
        values[i] = v->value;
        if (isnan(v->value)) {
            *why = v->why ? v->why : "the run does not tell it";
            return NAN;
        }
        bool is_worse = is_upper(line->op)   ? v->value > worst
                        : is_lower(line->op) ? v->value < worst
                                             : isnan(limit) || !tp_budget_holds(line->op, v->value, limit);
        worst = i == 0 || is_worse ? v->value : worst;
    }
    return metric->is_timed ? tp_median(values, count) : worst;
}

/* ---- changes of times ---- */

/* A relative change and its 99 % interval: 0.03 is 3 % more. */
struct change {
    double estimate, low, high;
};

static bool is_step_metric(const struct tp_metric *metric, enum tp_metric_step which)
{
    return metric->value == tp_metric_of_steps && metric->which == (int)which;
}

/* Mean and uncertainty of a metric that is a mean over steps; count 0: it is none. */
static struct tp_moments moments_of(const struct tp_side *side, const struct tp_metric *metric)
{
    if (is_step_metric(metric, TP_STEPS_MEAN))
        return side->total;
    if (metric->value == tp_metric_average_time && metric->which <= (int)TP_AVERAGE_OTHER)
        return side->parts[metric->which]; /* parts stand in the order of the averages */
    return (struct tp_moments){.count = 0, .mean = NAN};
}

static struct change ratio_of_medians(const double *base, size_t base_count, const double *run, size_t count,
                                      struct tp_arena *arena)
{
    struct tp_bounds ratio = tp_median_ratio(base, base_count, run, count, CONFIDENCE, arena);
    return (struct change){ratio.estimate - 1, ratio.low - 1, ratio.high - 1};
}

static double *values_of(const struct tp_summary *runs, size_t count, int metric, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].metrics[metric].value;
    return values;
}

/* Steps are the samples where the metric is one of steps, else the runs. */
static struct change change_of(const struct tp_check_subject *s, int index, struct tp_arena *arena)
{
    const struct tp_metric *metric = &tp_metrics[index];
    const struct tp_side *base = &s->sides.side[TP_BASE], *run = &s->sides.side[TP_NEW];
    struct tp_moments means[TP_SIDES] = {moments_of(base, metric), moments_of(run, metric)};
    if (is_step_metric(metric, TP_STEPS_MEDIAN))
        return ratio_of_medians(base->step_ns, base->step_count, run->step_ns, run->step_count, arena);
    if (means[TP_BASE].count > 0 && means[TP_NEW].count > 0 && means[TP_BASE].mean > 0) {
        struct tp_bounds d = tp_welch_difference(&means[TP_BASE], &means[TP_NEW], CONFIDENCE);
        double mean = means[TP_BASE].mean;
        return (struct change){d.estimate / mean, d.low / mean, d.high / mean};
    }
    return ratio_of_medians(values_of(s->base, s->base_count, index, arena), s->base_count,
                            values_of(s->runs, s->run_count, index, arena), s->run_count, arena);
}

static void measure_change(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const struct tp_side *base = &s->sides.side[TP_BASE], *run = &s->sides.side[TP_NEW];
    double floor = tp_noise_floor(base->run_medians, base->median_count, run->run_medians, run->median_count, arena);
    struct change c = change_of(s, item->line->metric, arena);
    double scale = item->line->kind == TP_LIMIT_RELATIVE ? 100 : item->base_value;
    if (isnan(c.estimate)) /* a side is 0 */
        c.estimate = item->base_value > 0 ? item->value / item->base_value - 1 : item->value > 0 ? INFINITY : 0;
    if (isnan(c.low)) { /* a single value on each side: the floor is all that is known of its noise */
        c.low = c.estimate - floor;
        c.high = c.estimate + floor;
    }
    if (item->line->kind == TP_LIMIT_DELTA && !(item->base_value > 0)) { /* from 0 on there is no noise to know of */
        item->change = item->low = item->high = item->value - item->base_value;
        item->floor = 0;
        return;
    }
    item->change = c.estimate * scale;
    item->low = c.low * scale;
    item->high = c.high * scale;
    item->floor = floor * scale;
}

/* ---- verdicts ---- */

static void conclude(struct tp_check_item *item, enum tp_check_cause cause, const char *reason)
{
    static const enum tp_check_status statuses[TP_CAUSE_COUNT] = {
        [TP_CAUSE_WITHIN] = TP_CHECK_PASS,
        [TP_CAUSE_BEYOND] = TP_CHECK_FAIL,
        [TP_CAUSE_NOISE] = TP_CHECK_PASS,
        [TP_CAUSE_MISSING] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_DAMAGED] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_SKIPPED] = TP_CHECK_PASS,
        [TP_CAUSE_NO_BASELINE] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_NOT_COMPARABLE] = TP_CHECK_INCONCLUSIVE,
    };
    bool is_warning = item->line->is_warning && (cause == TP_CAUSE_BEYOND || cause == TP_CAUSE_MISSING);
    item->cause = cause;
    item->reason = reason;
    item->status = is_warning ? TP_CHECK_WARN : statuses[cause];
}

static void conclude_missing(struct tp_check_item *item, const char *whose, const char *why, struct tp_arena *arena)
{
    bool is_optional = item->line->is_optional;
    conclude(item, is_optional ? TP_CAUSE_SKIPPED : TP_CAUSE_MISSING,
             tp_text_printf(arena, "%s: %s%s", is_optional ? "skipped" : "missing", whose, why));
}

static void judge_time(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    double limit = item->line->limit;
    enum tp_metric_unit unit = tp_metrics[item->line->metric].unit;
    enum tp_budget_kind kind = item->line->kind;
    measure_change(item, s, arena);
    double noise = item->floor;
    bool is_beyond = is_upper(item->line->op) ? item->low > (limit < 0 ? limit : fmax(limit, noise))
                                              : item->high < (limit > 0 ? limit : fmin(limit, -noise));
    bool holds = tp_budget_holds(item->line->op, item->change, limit);
    const char *interval =
        tp_text_printf(arena, "%s to %s at 99 %%, noise floor %s", tp_amount_change(arena, unit, kind, item->low),
                       tp_amount_change(arena, unit, kind, item->high),
                       tp_amount_text(arena, kind == TP_LIMIT_RELATIVE ? TP_UNIT_PERCENT : unit, noise));
    if (is_beyond)
        conclude(item, TP_CAUSE_BEYOND, interval);
    else
        conclude(item, holds ? TP_CAUSE_WITHIN : TP_CAUSE_NOISE,
                 holds ? "" : tp_text_printf(arena, "neutral: %s", interval));
}

/* Per-step counts of sides with other numbers of steps: what lies outside of steps is divided by another number. */
static bool is_rounding(const struct tp_check_item *item, const struct tp_check_subject *s)
{
    const struct tp_metric *metric = &tp_metrics[item->line->metric];
    double steps[TP_SIDES] = {tp_summary_used_steps(&s->base[0]), tp_summary_used_steps(&s->runs[0])};
    return metric->unit == TP_UNIT_COUNT && tp_str_ends(tp_str_of(metric->name), ".per_step") &&
           steps[TP_BASE] != steps[TP_NEW] && fabs(item->value - item->base_value) < 0.5;
}

static void judge_count(struct tp_check_item *item, const struct tp_check_subject *s)
{
    double difference = item->value - item->base_value;
    if (is_rounding(item, s))
        difference = 0;
    item->change = difference;
    if (item->line->kind == TP_LIMIT_RELATIVE)
        item->change = item->base_value > 0 ? 100 * difference / item->base_value : difference > 0 ? INFINITY : 0;
    conclude(item, tp_budget_holds(item->line->op, item->change, item->line->limit) ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND,
             "");
}

/* ---- damage ---- */

/* What a line rests on: a change also on whether both sides compare at all. */
static unsigned needs_of(const struct tp_budget_line *line)
{
    const unsigned of_facts = TP_NEED_FILE | TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME;
    unsigned needs = tp_metrics[line->metric].needs;
    return needs && line->kind != TP_LIMIT_ABSOLUTE ? needs | of_facts : needs;
}

/* Why the line cannot be judged; "": it can. */
static const char *damage_of(const struct tp_budget_line *line, const struct tp_check_subject *s,
                             struct tp_arena *arena)
{
    struct tp_damage_runs runs = {s->runs, s->run_count}, base = {s->base, s->base_count};
    unsigned needs = needs_of(line);
    const char *reason = tp_damage_reason(&runs, &base, needs, arena);
    if (*reason)
        return tp_text_printf(arena, "input damaged: %s", reason);
    if (line->kind == TP_LIMIT_ABSOLUTE)
        return "";
    reason = s->is_base_incomplete ? "this rank is missing in it" : tp_damage_reason(&base, &runs, needs, arena);
    return *reason ? tp_text_printf(arena, "input damaged: the baseline: %s", reason) : "";
}

static void conclude_not_comparable(struct tp_check_item *item, const struct tp_check_subject *s,
                                    struct tp_arena *arena)
{
    bool is_other = s->comparability.workload == TP_WORKLOAD_OTHER;
    conclude(item, TP_CAUSE_NOT_COMPARABLE,
             tp_text_printf(arena, "%s: %s", is_other ? "another workload" : "not known to be the same workload",
                            tp_comparability_text(&s->comparability, arena)));
}

/* Counts of the work of a step, which another input leaves as they are. */
static void judge_work(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const char *why = NULL;
    enum tp_check_cause cause = tp_check_judge_work(item, s, &why);
    if (cause == TP_CAUSE_MISSING)
        conclude_missing(item, "", why, arena);
    else if (cause == TP_CAUSE_NOT_COMPARABLE)
        conclude_not_comparable(item, s, arena);
    else
        conclude(item, cause, cause == TP_CAUSE_NO_BASELINE ? "no baseline to compare with" : "");
}

static void judge_against(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const char *why = NULL;
    if (s->base_count == 0) {
        conclude(item, TP_CAUSE_NO_BASELINE, "no baseline to compare with");
        return;
    }
    /* a count that was better in the newest runs shall not get worse again because older ones were */
    size_t skipped = !tp_metrics[item->line->metric].is_timed && s->base_count > TP_CHECK_COUNT_RUNS
                         ? s->base_count - TP_CHECK_COUNT_RUNS
                         : 0;
    item->base_value = value_of(s->base + skipped, s->base_count - skipped, item->line, NAN, arena, &why);
    item->value = value_of(s->runs, s->run_count, item->line, limit_of(item->line, item->base_value), arena, &why);
    if (isnan(item->base_value))
        conclude_missing(item, "in the baseline, ", why, arena);
    else if (s->comparability.is_low)
        conclude_not_comparable(item, s, arena);
    else if (tp_metrics[item->line->metric].is_timed)
        judge_time(item, s, arena);
    else
        judge_count(item, s);
}

void tp_check_judge(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const struct tp_budget_line *line = item->line;
    const char *why = NULL, *damage = damage_of(line, s, arena);
    item->value = item->base_value = item->change = item->low = item->high = item->floor = NAN;
    if (*damage) {
        conclude(item, TP_CAUSE_DAMAGED, damage);
        return;
    }
    if (tp_metrics[line->metric].value == tp_metric_of_work) {
        judge_work(item, s, arena);
        return;
    }
    item->value = value_of(s->runs, s->run_count, line, limit_of(line, NAN), arena, &why);
    if (isnan(item->value))
        conclude_missing(item, "", why, arena);
    else if (line->kind == TP_LIMIT_ABSOLUTE)
        conclude(item, tp_budget_holds(line->op, item->value, line->limit) ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND, "");
    else
        judge_against(item, s, arena);
}
