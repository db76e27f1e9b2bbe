/* Decides the status of one budget line for one subject. See gate.h. */
#include <math.h>

#include "webreport/compare/gate/gate_parts.h"
#include "webreport/compare/noise/level_history.h"
#include "webreport/measure/metrics/metric_values.h"
#include "writer/base/multiplicity.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* ---- values of metrics on one side ---- */

/* Returns the limit as a value of the metric, in the metric's unit. base_value: NaN if unknown or not needed. */
static double limit_value(const struct tp_budget_line *line, double base_value)
{
    return line->kind == TP_LIMIT_ABSOLUTE ? line->limit
           : line->kind == TP_LIMIT_DELTA  ? base_value + line->limit
                                           : base_value * (1 + line->limit / 100);
}

/* Returns one value for several runs. For times, it is the median. For counts, it is the value closest to breaking
 * the limit; with == and !=, it is the last value that breaks the limit. Returns NaN and sets *why if a run lacks
 * the metric. */
static double value_of_several_runs(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line,
                                    double limit, struct tp_arena *arena, const char **why)
{
    const struct tp_metric *metric = &tp_metrics[line->metric];
    double *values = tp_arena_array(arena, count, sizeof *values), worst = NAN;
    for (size_t i = 0; i < count; i++) {
        struct tp_metric_value v = tp_check_value_of_run(&runs[i], line);
        values[i] = v.value;
        if (isnan(v.value)) {
            *why = v.why ? v.why : "the run has no such value";
            return NAN;
        }
        bool is_worse = tp_budget_is_upper(line->op) ? v.value > worst
                        : tp_budget_is_lower(line->op)
                            ? v.value < worst
                            : isnan(limit) || !tp_budget_is_limit_kept(line->op, v.value, limit);
        worst = i == 0 || is_worse ? v.value : worst;
    }
    return metric->is_timed ? tp_median(values, count) : worst;
}

/* ---- verdicts ---- */

static void set_status_and_reason(struct tp_check_item *item, enum tp_check_cause cause, const char *reason)
{
    static const enum tp_check_status statuses[TP_CAUSE_COUNT] = {
        [TP_CAUSE_WITHIN] = TP_CHECK_PASS,
        [TP_CAUSE_BEYOND] = TP_CHECK_FAIL,
        [TP_CAUSE_NOISE] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_MISSING] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_DAMAGED] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_SKIPPED] = TP_CHECK_PASS,
        [TP_CAUSE_NO_BASELINE] = TP_CHECK_INCONCLUSIVE,
        [TP_CAUSE_NOT_COMPARABLE] = TP_CHECK_INCONCLUSIVE,
    };
    bool is_warning =
        item->line->is_warning && (cause == TP_CAUSE_BEYOND || cause == TP_CAUSE_MISSING || cause == TP_CAUSE_NOISE);
    item->cause = cause;
    item->reason = reason;
    item->status = is_warning ? TP_CHECK_WARN : statuses[cause];
}

static void set_status_of_missing_value(struct tp_check_item *item, const char *whose, const char *why,
                                        struct tp_arena *arena)
{
    bool is_optional = item->line->is_optional;
    set_status_and_reason(item, is_optional ? TP_CAUSE_SKIPPED : TP_CAUSE_MISSING,
                          tp_text_printf(arena, "%s: %s%s", is_optional ? "skipped" : "missing", whose, why));
}

static void judge_by_time(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const char *reason;
    enum tp_check_cause cause = tp_check_judge_time(item, s, &reason, arena);
    set_status_and_reason(item, cause, reason);
}

/* Makes failed limits on times inconclusive if chance explains the failures, given the number of limits (Holm). */
void tp_check_judge_times_together(struct tp_check_item *items, size_t count, struct tp_arena *arena)
{
    /* nominal probability of a failure if no time changed; the measured probability is 0.01, because means and p90
     * are not normal */
    const double doubt = 0.006;
    size_t tested = 0, *at = tp_arena_array(arena, count, sizeof *at);
    double *chances = tp_arena_array(arena, count, sizeof *chances);
    bool *is_kept = tp_arena_array(arena, count, sizeof *is_kept);
    for (size_t i = 0; i < count; i++)
        if (!isnan(items[i].chance) && !items[i].line->is_warning) {
            chances[tested] = items[i].chance;
            at[tested++] = i;
        }
    tp_holm(is_kept, chances, tested, doubt, arena);
    for (size_t k = 0; k < tested; k++) {
        struct tp_check_item *item = &items[at[k]];
        if (item->cause != TP_CAUSE_BEYOND || is_kept[k])
            continue;
        const char *often = tp_text_of_fixed(arena, fmin(100, 100 * chances[k] * (double)tested), 1);
        set_status_and_reason(
            item, TP_CAUSE_NOISE,
            tp_text_printf(arena,
                           "unclear: %s; with %s on times, chance alone breaks a limit by as much in %s %% of checks; "
                           "repeat the run to decide",
                           item->reason, tp_text_of_counted_noun(arena, (int64_t)tested, "limit", "limits"), often));
        item->place_count = 0;
    }
}

/* Returns whether a difference is only rounding. Calls outside steps are divided by the number of steps, which
 * differs between runs. */
static bool is_rounding_difference(const struct tp_check_item *item, const struct tp_check_subject *s)
{
    const struct tp_metric *metric = &tp_metrics[item->line->metric];
    double steps[TP_SIDES] = {tp_summary_used_steps(&s->base[0]), tp_summary_used_steps(&s->runs[0])};
    return metric->unit == TP_UNIT_COUNT && tp_str_ends(tp_str_of(metric->name), ".per_step") &&
           steps[TP_BASE] != steps[TP_NEW] && fabs(item->value - item->base_value) < 0.5;
}

static bool is_host_peak(const struct tp_check_item *item)
{
    return tp_str_equal(tp_str_of(tp_metrics[item->line->metric].name), TP_STR("memory.host.peak"));
}

/* Returns the lowest and highest value of the metric in the given runs. */
static struct tp_confidence_interval metric_range_of_runs(const struct tp_summary *runs, size_t count, int metric)
{
    struct tp_confidence_interval range = {NAN, NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        range.low = fmin(range.low, runs[i].metrics[metric].value);
        range.high = fmax(range.high, runs[i].metrics[metric].value);
    }
    return range;
}

/* Returns whether chance can explain the difference between the peaks of host memory, with the same criterion as
 * `diff`. Chance is possible only if the steps do the same work. In addition, there must be too few runs, or the gap
 * between the sides must not exceed the range of one side's runs. */
static bool can_chance_explain_peak(const struct tp_check_item *item, const struct tp_check_subject *s)
{
    struct tp_confidence_interval base = metric_range_of_runs(s->base, s->base_count, item->line->metric);
    struct tp_confidence_interval run = metric_range_of_runs(s->runs, s->run_count, item->line->metric);
    double gap = fmax(run.low - base.high, base.low - run.high);
    if (!s->work.is_known || !s->work.is_same)
        return false;
    return s->base_count + s->run_count < TP_VERDICT_RUNS || !(gap > fmax(base.high - base.low, run.high - run.low));
}

/* Returns whether the built-in limit on host memory does not apply. A program with kernels has most of its memory on
 * the device. */
static bool is_host_limit_ignored(const struct tp_check_item *item, const struct tp_check_subject *s)
{
    return !item->line->number && is_host_peak(item) && s->base_count && !tp_sides_have_only_wall_clock(&s->sides);
}

static void judge_by_count(struct tp_check_item *item, const struct tp_check_subject *s)
{
    double difference = item->value - item->base_value;
    if (is_rounding_difference(item, s))
        difference = 0;
    item->change = difference;
    if (item->line->kind == TP_LIMIT_RELATIVE)
        item->change = item->base_value > 0 ? 100 * difference / item->base_value : difference > 0 ? INFINITY : 0;
    bool is_kept = tp_budget_is_limit_kept(item->line->op, item->change, item->line->limit);
    if (!is_kept && is_host_peak(item) && can_chance_explain_peak(item, s))
        set_status_and_reason(
            item, TP_CAUSE_NOISE,
            "unclear: the peak of host memory differs between runs even if the steps do the same work");
    else
        set_status_and_reason(item, is_kept ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND, "");
}

/* ---- damage ---- */

/* Returns the kinds of events that a line needs. A line that limits a change also needs the facts that decide whether
 * runs are comparable. */
static unsigned evidence_that_line_needs(const struct tp_budget_line *line)
{
    const unsigned of_facts = TP_NEED_FILE | TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME;
    unsigned needs = tp_metrics[line->metric].needs;
    return needs && line->kind != TP_LIMIT_ABSOLUTE ? needs | of_facts : needs;
}

/* Returns the description of the damage that prevents a verdict on the line, or "". *is_unknown: set to true if
 * nothing is damaged, but an input cannot show data that the other side shows. */
static const char *damage_reason(const struct tp_budget_line *line, const struct tp_check_subject *s, bool *is_unknown,
                                 struct tp_arena *arena)
{
    static const char *const prefixes[] = {"input damaged", "different data"};
    struct tp_damage_runs runs = {s->runs, s->run_count, 0}, base = {s->base, s->base_count, 0};
    unsigned needs = evidence_that_line_needs(line);
    const char *reason = tp_damage_reason(&runs, &base, needs, is_unknown, arena);
    if (*reason)
        return tp_text_printf(arena, "%s: %s", prefixes[*is_unknown], reason);
    if (line->kind == TP_LIMIT_ABSOLUTE)
        return "";
    reason = s->is_base_incomplete ? "this rank is missing" : tp_damage_reason(&base, &runs, needs, is_unknown, arena);
    return *reason ? tp_text_printf(arena, "%s: the baseline: %s", prefixes[*is_unknown], reason) : "";
}

static void set_status_not_comparable(struct tp_check_item *item, const struct tp_check_subject *s,
                                      struct tp_arena *arena)
{
    bool is_other = s->comparability.workload == TP_WORKLOAD_OTHER;
    set_status_and_reason(item, TP_CAUSE_NOT_COMPARABLE,
                          tp_text_printf(arena, "%s: %s", is_other ? "another workload" : "possibly another workload",
                                         tp_comparability_text(&s->comparability, arena)));
}

static const char *no_baseline_reason(const struct tp_check_subject *s)
{
    return s->is_base_broken ? "no run to compare with, because every run of the baseline broke a limit when it was "
                               "stored. Store a good run with --update-baseline, or accept this run with --accept"
           : s->is_first     ? "no baseline yet, because this run is the first run of the baseline"
                             : "no baseline; name one with --baseline, or store one with --update-baseline";
}

/* Decides the status of a budget line that limits the work of one step. Comparability is not required if only the
 * content of the input differs, because counts of work do not depend on the content. */
static void judge_by_work(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const char *why = NULL;
    enum tp_check_cause cause = tp_check_judge_work(item, s, &why);
    if (cause == TP_CAUSE_MISSING)
        set_status_of_missing_value(item, "", why, arena);
    else if (cause == TP_CAUSE_NOT_COMPARABLE)
        set_status_not_comparable(item, s, arena);
    else
        set_status_and_reason(item, cause, cause == TP_CAUSE_NO_BASELINE ? no_baseline_reason(s) : "");
}

static void judge_against_baseline(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const char *why = NULL;
    if (s->base_count == 0) {
        set_status_and_reason(item, TP_CAUSE_NO_BASELINE, no_baseline_reason(s));
        return;
    }
    /* compares counts only with the newest runs, so that an improved count cannot return to its old value */
    size_t skipped = !tp_metrics[item->line->metric].is_timed && s->base_count > TP_CHECK_COUNT_RUNS
                         ? s->base_count - TP_CHECK_COUNT_RUNS
                         : 0;
    size_t base_count = s->base_count - skipped;
    if (tp_metrics[item->line->metric].is_timed && base_count > TP_ACCEPTED_RUNS)
        base_count = TP_ACCEPTED_RUNS; /* uses only the first runs, so that the accepted level stays fixed */
    item->base_value = value_of_several_runs(s->base + skipped, base_count, item->line, NAN, arena, &why);
    item->value = value_of_several_runs(s->runs, s->run_count, item->line, limit_value(item->line, item->base_value),
                                        arena, &why);
    if (isnan(item->base_value))
        set_status_of_missing_value(item, "in the baseline, ", why, arena);
    else if (s->comparability.is_not_comparable)
        set_status_not_comparable(item, s, arena);
    else if (s->comparability.has_other_recorder_options && tp_check_is_host_time(&tp_metrics[item->line->metric]))
        set_status_and_reason(
            item, TP_CAUSE_NOT_COMPARABLE,
            tp_text_printf(arena, "the recorder options differ (%s), so times of the host are not comparable",
                           tp_comparability_recording_text(&s->comparability, arena)));
    else if (tp_metrics[item->line->metric].is_timed)
        judge_by_time(item, s, arena);
    else
        judge_by_count(item, s);
}

/* Returns whether any run has steps that are inferred from repeated operators. Such steps can be layers of a model
 * instead. */
static bool has_uncertain_steps(const struct tp_check_subject *s)
{
    for (size_t i = 0; i < s->run_count; i++)
        for (uint32_t k = 0; k < s->runs[i].fact_count; k++)
            if (tp_str_equal(s->runs[i].facts[k].name, TP_STR("step.marker")) &&
                tp_str_starts(s->runs[i].facts[k].value, TP_UNSURE_STEPS))
                return true;
    return false;
}

/* Makes a limit inconclusive if its value depends on uncertain steps. A change for the worse remains a failure if both
 * runs have the same sequence of operators. */
static void make_unsure_steps_inconclusive(struct tp_check_item *item, const struct tp_check_subject *s)
{
    bool is_sure = item->cause == TP_CAUSE_BEYOND && item->line->kind != TP_LIMIT_ABSOLUTE;
    if ((item->cause != TP_CAUSE_WITHIN && item->cause != TP_CAUSE_BEYOND) || is_sure ||
        !tp_metric_is_step_metric(&tp_metrics[item->line->metric]) || !has_uncertain_steps(s))
        return;
    set_status_and_reason(item, TP_CAUSE_MISSING,
                          "mark the steps: no step is marked, and the inferred steps may be layers of the model");
}

static void judge_item_by_line(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const struct tp_budget_line *line = item->line;
    const char *why = NULL, *damage = damage_reason(line, s, &item->is_data_unknown, arena);
    item->value = item->base_value = item->change = item->low = item->high = item->detectable = item->chance = NAN;
    if (*damage) {
        set_status_and_reason(item, TP_CAUSE_DAMAGED, damage);
        return;
    }
    if (tp_metrics[line->metric].value == tp_metric_of_work) {
        judge_by_work(item, s, arena);
        return;
    }
    item->value = tp_metrics[line->metric].value == tp_metric_of_function
                      ? tp_check_function_share(s->runs, s->run_count, line, &why)
                      : value_of_several_runs(s->runs, s->run_count, line, limit_value(line, NAN), arena, &why);
    if (is_host_limit_ignored(item, s))
        set_status_and_reason(item, TP_CAUSE_SKIPPED, "");
    else if (isnan(item->value))
        set_status_of_missing_value(item, "", why, arena);
    else if (line->kind == TP_LIMIT_ABSOLUTE)
        set_status_and_reason(
            item, tp_budget_is_limit_kept(line->op, item->value, line->limit) ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND, "");
    else
        judge_against_baseline(item, s, arena);
}

void tp_check_judge_item(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    judge_item_by_line(item, s, arena);
    make_unsure_steps_inconclusive(item, s);
}
