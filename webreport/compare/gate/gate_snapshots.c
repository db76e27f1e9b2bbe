/* Checks memory snapshots against a budget: see gate_snapshots.h. */
#include "webreport/compare/gate/gate_snapshots.h"

#include <math.h>

#include "webreport/compare/gate/gate_items.h"
#include "webreport/compare/gate/gate_snapshot_values.h"
#include "webreport/compare/gate/metric_amount.h"
#include "writer/text/format.h"

/* A device of a snapshot, and the same device of the baseline. */
struct subject {
    struct tp_str name; /* "" if there is only one subject */
    int64_t rank;
    const struct tp_snapshot_device *device, *base; /* base: NULL without one */
};

struct checking {
    struct tp_arena *arena;
    const struct tp_budget *budget;
    bool has_baseline;
    struct tp_vec items; /* elements: struct tp_check_item */
};

/* ---- verdicts ---- */

/* Returns the value relative to a baseline, in the unit of the limit. */
static struct tp_bounded_value relative_to(const struct tp_bounded_value *run, const struct tp_bounded_value *base,
                                           enum tp_budget_kind kind)
{
    struct tp_bounded_value change = {.why = *run->why ? run->why : base->why};
    change.low = run->low - base->high;
    change.high = run->high - base->low;
    if (kind == TP_LIMIT_RELATIVE) {
        change.low = base->high > 0 ? 100 * (run->low / base->high - 1) : run->low > 0 ? INFINITY : 0;
        change.high = base->low > 0 ? 100 * (run->high / base->low - 1) : run->high > 0 ? INFINITY : 0;
    }
    change.low = isnan(change.low) ? -INFINITY : change.low;
    change.high = isnan(change.high) ? INFINITY : change.high;
    return change;
}

/* Returns whether a limit is kept (1), broken (0), or neither for all values between the bounds (-1). */
static int is_kept_between(enum tp_budget_op op, const struct tp_bounded_value *value, double limit)
{
    bool at_low = tp_budget_is_limit_kept(op, value->low, limit);
    bool at_high = tp_budget_is_limit_kept(op, value->high, limit);
    bool has_limit_inside = value->low <= limit && limit <= value->high;
    if (value->low < value->high && (op == TP_OP_EQ || op == TP_OP_NE))
        return has_limit_inside ? -1 : op == TP_OP_NE;
    return at_low == at_high ? at_low : -1;
}

static void set_status(struct tp_check_item *item, enum tp_check_status status, enum tp_check_cause cause,
                       const char *reason)
{
    bool is_warning = item->line->is_warning && (cause == TP_CAUSE_BEYOND || cause == TP_CAUSE_MISSING);
    item->status = is_warning ? TP_CHECK_WARN : status;
    item->cause = cause;
    item->reason = reason;
}

/* Sets the status of a limit that cannot be decided. */
static void set_missing(struct tp_check_item *item, const struct tp_bounded_value *value, struct tp_arena *arena)
{
    enum tp_metric_unit unit = tp_metrics[item->line->metric].unit;
    const char *known = value->low > 0 && isfinite(value->low) && item->line->kind == TP_LIMIT_ABSOLUTE
                            ? tp_text_printf(arena, "at least %s, but ", tp_amount_text(arena, unit, value->low))
                            : "";
    if (item->line->is_optional)
        set_status(item, TP_CHECK_PASS, TP_CAUSE_SKIPPED, tp_text_printf(arena, "skipped: %s%s", known, value->why));
    else
        set_status(item, TP_CHECK_INCONCLUSIVE, TP_CAUSE_MISSING,
                   tp_text_printf(arena, "missing: %s%s", known, value->why));
}

static void add_place(struct tp_check_item *item, const struct subject *subject, struct tp_arena *arena)
{
    const char *text;
    struct tp_str line = tp_check_snapshot_place(subject->device, item->line->metric, &text);
    if (!line.len)
        return;
    item->places = tp_arena_array(arena, 1, sizeof *item->places);
    item->places[0] =
        (struct tp_check_place){.rule = TP_STR(""), .file_line = line, .text = tp_str_of(text), .operator= TP_STR("")};
    item->place_count = 1;
}

static void judge_item(struct tp_check_item *item, const struct subject *subject, const struct checking *checking)
{
    static const struct tp_bounded_value nothing = {-INFINITY, INFINITY, "the baseline lacks this device or rank"};
    const struct tp_budget_line *line = item->line;
    struct tp_bounded_value value = tp_check_snapshot_value(subject->device, line->metric, line->operator);
    item->value = value.low == value.high || (value.low > 0 && isfinite(value.low)) ? value.low : NAN;
    if (line->kind != TP_LIMIT_ABSOLUTE && !checking->has_baseline) {
        set_status(item, TP_CHECK_INCONCLUSIVE, TP_CAUSE_NO_BASELINE, "no baseline; name a snapshot with --baseline");
        return;
    }
    if (line->kind != TP_LIMIT_ABSOLUTE) {
        struct tp_bounded_value base =
            subject->base ? tp_check_snapshot_value(subject->base, line->metric, line->operator) : nothing;
        item->base_value = isfinite(base.low) ? base.low : NAN;
        value = relative_to(&value, &base, line->kind);
        item->change = value.low == value.high ? value.low : NAN;
        item->base_runs = item->runs = 1;
    }
    int is_kept = is_kept_between(line->op, &value, line->limit);
    if (is_kept < 0)
        set_missing(item, &value, checking->arena);
    else if (is_kept)
        set_status(item, TP_CHECK_PASS, TP_CAUSE_WITHIN, "");
    else
        set_status(item, TP_CHECK_FAIL, TP_CAUSE_BEYOND, "");
    if (item->cause == TP_CAUSE_BEYOND)
        add_place(item, subject, checking->arena);
}

/* ---- subjects ---- */

static bool applies(const struct tp_budget_line *line, const struct subject *subject)
{
    if (line->worker.ptr)
        return tp_str_equal(line->worker, subject->name);
    return line->rank == TP_NULL_INT || line->rank == subject->rank;
}

static const struct tp_snapshot_device *find_base(const struct tp_check_snapshots *base, int64_t rank, int64_t device)
{
    for (size_t i = 0; i < base->count; i++) {
        if (base->count > 1 && base->items[i].rank != rank)
            continue;
        for (uint64_t k = 0; k < base->items[i].device_count; k++)
            if (base->items[i].devices[k].device == device)
                return &base->items[i].devices[k];
    }
    return NULL;
}

static struct tp_str name_of_subject(const struct tp_check_snapshots *run, const struct tp_snapshot_result *result,
                                     const struct tp_snapshot_device *device, struct tp_arena *arena)
{
    int64_t rank = result->rank;
    const char *file = run->count < 2        ? ""
                       : rank == TP_NULL_INT ? tp_text_printf(arena, "%.*s", (int)result->file.len, result->file.ptr)
                                             : tp_text_printf(arena, "rank %lld", (long long)rank);
    if (result->device_count < 2)
        return tp_str_of(file);
    return tp_str_of(tp_text_printf(arena, "%s%sGPU %lld", file, *file ? ", " : "", (long long)device->device));
}

static struct tp_vec list_subjects(const struct tp_check_snapshots *run, const struct tp_check_snapshots *base,
                                   struct tp_arena *arena)
{
    struct tp_vec subjects = TP_VEC(arena, struct subject);
    for (size_t i = 0; i < run->count; i++) {
        const struct tp_snapshot_result *result = &run->items[i];
        for (uint64_t k = 0; k < result->device_count; k++) {
            const struct tp_snapshot_device *device = &result->devices[k];
            *(struct subject *)tp_vec_push(&subjects) =
                (struct subject){name_of_subject(run, result, device, arena), result->rank, device,
                                 find_base(base, result->rank, device->device)};
        }
    }
    return subjects;
}

static void judge_line(struct checking *checking, const struct tp_budget_line *line, const struct tp_vec *subjects)
{
    static const struct tp_bounded_value nothing = {-INFINITY, INFINITY, "no snapshot has this device or rank"};
    bool has_any = false;
    for (size_t i = 0; i < subjects->count; i++) {
        const struct subject *subject = TP_AT(subjects, struct subject, i);
        if (!applies(line, subject))
            continue;
        judge_item(tp_check_add_item(&checking->items, line, subject->name), subject, checking);
        has_any = true;
    }
    if (!has_any)
        set_missing(tp_check_add_item(&checking->items, line, TP_STR("")), &nothing, checking->arena);
}

/* ---- the check ---- */

/* Returns the largest value of all devices, for the list of all metrics. */
static struct tp_metric_value value_of_all_devices(const struct tp_snapshot_result *result, int metric)
{
    struct tp_bounded_value largest = {-INFINITY, -INFINITY, "the snapshot has no device"};
    for (uint64_t i = 0; i < result->device_count; i++) {
        struct tp_bounded_value value = tp_check_snapshot_value(&result->devices[i], metric, TP_STR(""));
        largest.why = i && value.low == value.high ? largest.why : value.why;
        largest.low = fmax(largest.low, value.low);
        largest.high = fmax(largest.high, value.high);
    }
    bool is_known = result->device_count && largest.low == largest.high;
    return (struct tp_metric_value){.value = is_known ? largest.low : NAN, .why = largest.why};
}

/* Makes the summaries of a side, which name the snapshots and their metrics in the document. */
static struct tp_check_side make_side(const struct tp_check_snapshots *side, struct tp_arena *arena)
{
    struct tp_summary *items = tp_arena_array(arena, side->count, sizeof *items);
    for (size_t i = 0; i < side->count; i++) {
        const struct tp_snapshot_result *result = &side->items[i];
        struct tp_summary *item = &items[i];
        *item =
            (struct tp_summary){.key = {.job = TP_STR(""),
                                        .rank = result->rank,
                                        .world_size = TP_NULL_INT,
                                        .worker = TP_STR(""),
                                        .span = TP_NULL_INT},
                                .file = result->file,
                                .verdict = TP_STR(""),
                                .headline = result->device_count ? tp_str_of(result->devices[0].headline) : TP_STR("")};
        for (int metric = 0; metric < TP_METRIC_COUNT; metric++)
            item->metrics[metric] = value_of_all_devices(result, metric);
    }
    return (struct tp_check_side){side->name, items, side->count, true};
}

void tp_check_snapshots_build(struct tp_check *check, struct tp_check_input *input,
                              const struct tp_check_snapshots *run, const struct tp_check_snapshots *base,
                              struct tp_arena *arena)
{
    struct checking checking = {.arena = arena,
                                .budget = input->budget,
                                .has_baseline = base->name != NULL,
                                .items = TP_VEC(arena, struct tp_check_item)};
    struct tp_vec subjects = list_subjects(run, base, arena);
    input->run = make_side(run, arena);
    input->base = make_side(base, arena);
    *check = (struct tp_check){
        .input = input, .differs = "", .workload = checking.has_baseline ? TP_WORKLOAD_UNKNOWN : TP_WORKLOAD_SAME};
    for (size_t l = 0; l < input->budget->count; l++)
        judge_line(&checking, &input->budget->lines[l], &subjects);
    tp_check_take_items(check, &checking.items, arena);
    for (size_t i = 0; i < check->count && check->verdict == TP_CHECK_INCONCLUSIVE; i++)
        check->is_damaged |=
            check->items[i].status == TP_CHECK_INCONCLUSIVE && check->items[i].cause == TP_CAUSE_MISSING;
}
