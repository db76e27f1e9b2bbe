/* One line of a budget against one subject: see gate.h. */
#include <math.h>

#include "webreport/compare/gate_parts.h"
#include "webreport/compare/level_history.h"
#include "webreport/compare/metric_amount.h"
#include "webreport/measure/metric_values.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

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

static bool is_of_kernels(const struct tp_metric *metric)
{
    return metric->unit == TP_UNIT_NS && (metric->value == tp_metric_of_kernels ||
                                          (metric->value == tp_metric_average_time && metric->which == TP_ROLE_KERNEL));
}

/* Times that what is recorded changes: all but those of kernels. */
static bool is_of_host(const struct tp_metric *metric)
{
    return metric->is_timed && !is_of_kernels(metric);
}

/* What of a step its noise is that of; TP_PART_COUNT: of the whole step. */
static enum tp_summary_part part_of(const struct tp_metric *metric)
{
    if (is_of_kernels(metric))
        return TP_PART_DEVICE_SUM;
    if (metric->value == tp_metric_average_time && metric->which <= (int)TP_AVERAGE_OTHER)
        return (enum tp_summary_part)metric->which; /* parts stand in the order of the averages */
    return TP_PART_COUNT;
}

/* Robust cv of the steps of a run; NaN: too few of them. */
static double cv_of(const struct tp_summary *run, enum tp_summary_part part, struct tp_arena *arena)
{
    double *totals = tp_arena_array(arena, run->step_count, sizeof *totals);
    double *values = tp_arena_array(arena, run->step_count, sizeof *values);
    size_t count = 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct tp_summary_step *step = &run->steps[i];
        if (step->is_left_out)
            continue;
        bool is_told = part < TP_PART_COUNT && step->part_ns[part] != TP_NULL_INT;
        totals[count] = (double)step->total_ns;
        values[count++] = (double)(is_told ? step->part_ns[part] : step->total_ns);
    }
    if (count < TP_LEVEL_LEAST_STEPS)
        return NAN;
    size_t warm = tp_warm_up_count(totals, count, arena);
    return tp_run_level_of(values + warm, count - warm).cv;
}

/* Levels of a metric in all runs of a baseline and in those that are judged. */
struct levels {
    struct tp_levels base, accepted, runs;
    double *cvs;
    size_t cv_count;
    bool has_steps; /* enough in every run */
};

static bool add_levels(struct levels *l, struct tp_levels *out, const struct tp_summary *runs, size_t count, int index,
                       struct tp_arena *arena)
{
    double *items = tp_arena_array(arena, count, sizeof *items);
    bool is_positive = true;
    for (size_t i = 0; i < count; i++) {
        double value = runs[i].metrics[index].value, cv = cv_of(&runs[i], part_of(&tp_metrics[index]), arena);
        is_positive &= value > 0 && isfinite(value);
        items[i] = log(value);
        l->has_steps &= !isnan(cv);
        l->cvs[l->cv_count++] = isnan(cv) ? 0 : cv;
    }
    *out = (struct tp_levels){items, count};
    return is_positive;
}

/* The new runs against the accepted ones; NaN bounds: some value is 0, or a run has too few steps. */
static struct tp_run_change change_of(const struct tp_check_subject *s, int index, bool *has_steps,
                                      struct tp_arena *arena)
{
    struct levels l = {.cvs = tp_arena_array(arena, s->base_count + s->run_count, sizeof(double)), .has_steps = true};
    bool is_positive = add_levels(&l, &l.base, s->base, s->base_count, index, arena);
    is_positive &= add_levels(&l, &l.runs, s->runs, s->run_count, index, arena);
    *has_steps = l.has_steps;
    if (!is_positive || !l.has_steps)
        return (struct tp_run_change){.estimate = NAN, .low = NAN, .high = NAN, .sees = NAN};
    enum tp_quantity quantity = is_of_kernels(&tp_metrics[index]) ? TP_QUANTITY_KERNELS : TP_QUANTITY_STEP;
    struct tp_run_context context = {
        .prior = tp_run_noise_prior(quantity, l.cvs, l.cv_count, tp_sides_are_of_one_host(&s->sides))};
    l.accepted = (struct tp_levels){l.base.items, l.base.count < TP_ACCEPTED_RUNS ? l.base.count : TP_ACCEPTED_RUNS};
    if (l.accepted.count == l.base.count)
        return tp_run_change_of(&l.base, &l.runs, &context, arena);
    return tp_level_history_change(&l.base, &l.accepted, &l.runs, &context.prior, arena);
}

/* Where a value is 0 there is no noise to know of: all of the base went, or something came from nothing. */
static void change_of_nothing(struct tp_run_change *c, const struct tp_check_item *item)
{
    c->estimate = item->base_value > 0 ? item->value / item->base_value - 1 : item->value > 0 ? INFINITY : 0;
    c->low = c->high = c->estimate;
    c->sees = 0;
}

static struct tp_run_change measure_change(struct tp_check_item *item, const struct tp_check_subject *s,
                                           bool *has_steps, struct tp_arena *arena)
{
    struct tp_run_change c = change_of(s, item->line->metric, has_steps, arena);
    bool is_delta = item->line->kind == TP_LIMIT_DELTA, is_from_nothing = is_delta && !(item->base_value > 0);
    double scale = is_delta ? item->base_value : 100;
    if (isnan(c.low) && (!(item->value > 0) || !(item->base_value > 0)))
        change_of_nothing(&c, item);
    if (is_from_nothing) {
        item->change = item->low = item->high = item->value - item->base_value;
        item->sees = 0;
        return c;
    }
    item->change = (isnan(c.estimate) ? item->value / item->base_value - 1 : c.estimate) * scale;
    item->low = c.low * scale;
    item->high = c.high * scale;
    item->sees = c.sees * scale;
    item->base_runs = c.base_count;
    item->runs = c.new_count;
    return c;
}

/* ---- verdicts ---- */

static void conclude(struct tp_check_item *item, enum tp_check_cause cause, const char *reason)
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

static void conclude_missing(struct tp_check_item *item, const char *whose, const char *why, struct tp_arena *arena)
{
    bool is_optional = item->line->is_optional;
    conclude(item, is_optional ? TP_CAUSE_SKIPPED : TP_CAUSE_MISSING,
             tp_text_printf(arena, "%s: %s%s", is_optional ? "skipped" : "missing", whose, why));
}

/* "this runner sees 1.3 % with 10 + 3 runs" */
static const char *sees_text(const struct tp_check_item *item, struct tp_arena *arena)
{
    enum tp_budget_kind kind = item->line->kind;
    enum tp_metric_unit unit = kind == TP_LIMIT_RELATIVE ? TP_UNIT_PERCENT : tp_metrics[item->line->metric].unit;
    return tp_text_printf(arena, "this runner sees %s with %zu + %zu runs", tp_amount_text(arena, unit, item->sees),
                          item->base_runs, item->runs);
}

/* What would decide a limit that these runs cannot. most: of a relative change. */
static const char *help_text(const struct tp_run_change *c, double most, struct tp_arena *arena)
{
    unsigned needed = tp_runs_needed(&c->noise, fabs(most), c->base_count);
    if (!needed)
        return most == 0 ? "no number of runs shows that nothing changed: allow some change"
                         : "even 200 runs a side cannot see so little";
    if (needed <= c->new_count)
        return "the change is as large as the limit";
    return tp_text_printf(arena, "%s would decide it",
                          tp_text_of_some(arena, needed - (int64_t)c->new_count, "more run", "more runs"));
}

static enum tp_limit_verdict verdict_of(const struct tp_check_item *item)
{
    double limit = item->line->limit;
    enum tp_budget_op op = item->line->op;
    if (is_upper(op) ? item->low > limit : item->high < limit)
        return TP_LIMIT_FAIL;
    if (op == TP_OP_LT && item->low == limit && item->high == limit) /* no noise, and at the limit */
        return TP_LIMIT_FAIL;
    if (op == TP_OP_GT && item->low == limit && item->high == limit)
        return TP_LIMIT_FAIL;
    return tp_budget_holds(op, is_upper(op) ? item->high : item->low, limit) ? TP_LIMIT_PASS : TP_LIMIT_UNCLEAR;
}

static void judge_time(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    enum tp_metric_unit unit = tp_metrics[item->line->metric].unit;
    enum tp_budget_kind kind = item->line->kind;
    bool has_steps;
    struct tp_run_change c = measure_change(item, s, &has_steps, arena);
    double most = kind == TP_LIMIT_RELATIVE ? item->line->limit / 100 : item->line->limit / item->base_value;
    enum tp_limit_verdict verdict = verdict_of(item);
    if (isnan(item->low)) {
        conclude(item, TP_CAUSE_NOISE,
                 has_steps ? "unclear: some of the runs have none of it"
                           : tp_text_printf(arena, "unclear: a run needs %d steps to be judged", TP_LEVEL_LEAST_STEPS));
        return;
    }
    const char *interval = tp_text_printf(arena, "%s to %s at 99 %%", tp_amount_change(arena, unit, kind, item->low),
                                          tp_amount_change(arena, unit, kind, item->high));
    if (item->base_runs)
        interval = tp_text_printf(arena, "%s; %s", interval, sees_text(item, arena));
    if (verdict == TP_LIMIT_UNCLEAR)
        conclude(item, TP_CAUSE_NOISE, tp_text_printf(arena, "unclear: %s; %s", interval, help_text(&c, most, arena)));
    else
        conclude(item, verdict == TP_LIMIT_PASS ? TP_CAUSE_WITHIN : TP_CAUSE_BEYOND, interval);
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
        conclude(item, TP_CAUSE_NO_BASELINE,
                 "no baseline to compare with: --baseline names one, --update-baseline stores one");
        return;
    }
    /* a count that was better in the newest runs shall not get worse again because older ones were */
    size_t skipped = !tp_metrics[item->line->metric].is_timed && s->base_count > TP_CHECK_COUNT_RUNS
                         ? s->base_count - TP_CHECK_COUNT_RUNS
                         : 0;
    size_t base_count = s->base_count - skipped;
    if (tp_metrics[item->line->metric].is_timed && base_count > TP_ACCEPTED_RUNS)
        base_count = TP_ACCEPTED_RUNS; /* the accepted level does not roll */
    item->base_value = value_of(s->base + skipped, base_count, item->line, NAN, arena, &why);
    item->value = value_of(s->runs, s->run_count, item->line, limit_of(item->line, item->base_value), arena, &why);
    if (isnan(item->base_value))
        conclude_missing(item, "in the baseline, ", why, arena);
    else if (s->comparability.is_low)
        conclude_not_comparable(item, s, arena);
    else if (s->comparability.is_recorded_otherwise && is_of_host(&tp_metrics[item->line->metric]))
        conclude(item, TP_CAUSE_NOT_COMPARABLE,
                 tp_text_printf(arena, "recorded otherwise: %s; that changes what the host takes",
                                tp_comparability_recording_text(&s->comparability, arena)));
    else if (tp_metrics[item->line->metric].is_timed)
        judge_time(item, s, arena);
    else
        judge_count(item, s);
}

void tp_check_judge(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const struct tp_budget_line *line = item->line;
    const char *why = NULL, *damage = damage_of(line, s, arena);
    item->value = item->base_value = item->change = item->low = item->high = item->sees = NAN;
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
