/* Implements recommendations.h: evaluates the rules in their order and completes the list of findings. */
#include "webreport/measure/rules/recommendations.h"

#include <math.h>

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_order.h"
#include "webreport/measure/rules/unknown_data.h"
#include "webreport/trace/input_facts.h"
#include "writer/base/sort.h"

/* the rules in the order of evaluation; contains one rule of each evaluate function, because a function evaluates all
 * rules of its file */
static const struct tp_rule *const turns[] = {
#define TURN(id) &tp_rule_##id,
    TP_RULE_TURNS(TURN)
#undef TURN
};
enum { TURN_COUNT = sizeof turns / sizeof *turns };

double tp_finding_max_gain_us(const struct tp_finding *finding)
{
    if (finding->is_priced)
        return tp_microseconds(finding->price.high_ns);
    double part = finding->share_percent > 0 ? finding->high_percent / finding->share_percent : 1;
    return finding->ceiling_us_per_step * (finding->most_percent > 0 ? part : fmin(part, 1));
}

static int compare_by_rule(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct tp_rule_note *p = x, *q = y;
    if (p->rule != q->rule)
        return tp_rule_number(p->rule) < tp_rule_number(q->rule) ? -1 : 1;
    return strcmp(p->reason, q->reason);
}

/* Returns whether a rule applies to programs of this kind (with or without a device). */
static bool applies_to_program(const struct tp_rule *rule, enum tp_program_kind program)
{
    return rule->always || (rule->on_device && rule->on_host) || (rule->on_device && program == TP_RECORDED_GPU) ||
           (rule->on_host && program == TP_RECORDED_CPU);
}

static void skip_rules_of_other_programs(struct tp_advisor *a)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        const struct tp_rule *rule = tp_rule_at(i);
        if (!rule->on_device && !rule->on_host && !rule->always)
            tp_advisor_note_skipped_rule(a, (enum tp_rule_id)i, "the rule is for a run of several ranks");
        else if (!applies_to_program(rule, a->model->program))
            tp_advisor_note_skipped_rule(a, (enum tp_rule_id)i, "the rule is for another kind of program");
    }
}

static void skip_all_rules(struct tp_advisor *a)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        tp_advisor_note_skipped_rule(a, (enum tp_rule_id)i, "the recording contains too little work");
}

/* Leaves out the rules that need data which the input cannot show. Later reasons for these rules are ignored, because
 * this one explains them. */
static void skip_rules_without_data(struct tp_advisor *a)
{
    uint32_t unknown = a->model->trace->input.unknown;
    for (unsigned i = 0; unknown && i < TP_RULE_COUNT; i++) {
        const struct tp_rule *rule = tp_rule_at(i);
        uint32_t missing = unknown & tp_unknown_needs_of_rule(rule->id);
        if (!missing || !applies_to_program(rule, a->model->program))
            continue;
        tp_advisor_note_skipped_rule(a, (enum tp_rule_id)i, tp_unknown_sentence(missing));
        a->is_left_out[i] = a->lacks_data[i] = true;
    }
}

static void evaluate_on_device(struct tp_advisor *a)
{
    tp_rules_prepare_gpu(a);
    for (size_t i = 0; i < TURN_COUNT; i++)
        if (turns[i]->on_device)
            turns[i]->on_device(a);
    tp_findings_subtract_recording(a);
    tp_findings_remove_followed_advice(a);
}

static void evaluate_on_host(struct tp_advisor *a)
{
    tp_rules_prepare_cpu(a);
    for (size_t i = 0; i < TURN_COUNT; i++)
        if (turns[i]->on_host)
            turns[i]->on_host(a);
    tp_findings_remove_followed_advice(a);
}

static void evaluate_rules(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    if (a->quality->is_fragment) {
        skip_all_rules(a);
        return;
    }
    skip_rules_without_data(a);
    if (model->program == TP_RECORDED_GPU && model->window_ns)
        evaluate_on_device(a);
    else if (model->program == TP_RECORDED_CPU && model->window_ns && model->host_main != TP_NO_ID)
        evaluate_on_host(a);
    for (size_t i = 0; i < TURN_COUNT; i++)
        if (turns[i]->always)
            turns[i]->always(a);
    skip_rules_of_other_programs(a);
}

/* the state of one evaluation of all rules */
struct evaluation {
    struct tp_recommendations *out;
    const struct tp_trace_verdict *verdict;
    struct tp_arena *arena; /* memory of the findings, which remains after the evaluation */
    struct tp_advisor advisor;
};

/* No two estimates count the same time (tp_findings_limit_gains, finding_prices.h). */
void tp_recommendations_add_totals(struct tp_recommendations *r)
{
    r->total_gain_us_per_step = r->total_gain_percent = r->total_low_percent = 0;
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const struct tp_finding *f = &r->findings[i];
        if (isnan(f->ceiling_us_per_step))
            continue;
        /* the cost of recording may exceed the length of short events, so the sum for all findings may be less than one
         * ceiling */
        r->total_ceiling_us_per_step = fmax(r->total_ceiling_us_per_step, f->ceiling_us_per_step);
        r->total_ceiling_percent = fmax(r->total_ceiling_percent, f->share_percent);
        r->total_gain_us_per_step +=
            f->high_percent > 0 ? tp_finding_max_gain_us(f) * f->counted_percent / f->high_percent : 0;
        r->total_gain_percent += f->counted_percent;
        r->total_low_percent += f->low_percent;
    }
    /* A gain by replay may exceed the time of its finding. Otherwise, only rounding errors can raise the sum above the
     * ceiling. */
    if (r->priced_count)
        return;
    r->total_gain_us_per_step = fmin(r->total_gain_us_per_step, r->total_ceiling_us_per_step);
    r->total_gain_percent = fmin(r->total_gain_percent, r->total_ceiling_percent);
}

/* Returns a copy of a time within the analysed steps in `arena`. With very many intervals, joins those with short gaps
 * between them. */
static struct tp_intervals copy_spans(const struct tp_advisor *a, struct tp_intervals inside, struct tp_arena *arena)
{
    enum { MOST_SPANS = 4096 };
    int64_t gap_ns = inside.count > MOST_SPANS ? a->model->window_ns / MOST_SPANS : 0;
    struct tp_vec spans = TP_VEC(arena, struct tp_interval);
    for (size_t i = 0; i < inside.count; i++) {
        struct tp_interval x = inside.items[i];
        struct tp_interval *last = spans.count ? TP_AT(&spans, struct tp_interval, spans.count - 1) : NULL;
        if (last && tp_sat_sub(x.a, last->b) < gap_ns)
            last->b = x.b;
        else
            *(struct tp_interval *)tp_vec_push(&spans) = x;
    }
    tp_vec_fit(&spans);
    return (struct tp_intervals){spans.data, spans.count};
}

static int build_inside_guard(void *context, struct tp_error *err)
{
    struct evaluation *e = context;
    struct tp_advisor *a = &e->advisor;
    const struct tp_model *model = a->model;
    (void)err;
    a->findings = TP_VEC(e->arena, struct tp_finding);
    a->notes = TP_VEC(e->arena, struct tp_rule_note);
    a->times = TP_VEC(a->arena, struct tp_intervals);
    a->judged = model->window;
    a->claimed = TP_VEC(a->arena, struct tp_interval);
    if (e->verdict->class == TP_CLASS_STALL && e->verdict->cause == TP_TIME_COMMUNICATION) {
        a->is_left_out[TP_RULE_E1] = true;
        tp_advisor_note_skipped_rule(
            a, TP_RULE_E1, "one collective takes half of the step time or more, because other ranks arrived late");
    }
    a->accumulation = tp_accumulation_find(model, a->arena);
    tp_counter_view_build_counters(&a->counters, model, a->arena);
    evaluate_rules(a);
    tp_findings_sort(a->arena, a->findings.data, a->findings.count, e->verdict->class);
    int64_t ceiling = tp_findings_limit_gains(a);
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        f->spans = copy_spans(a, *TP_AT(&a->times, struct tp_intervals, f->time), e->arena);
    }
    tp_merge_sort(a->arena, a->notes.data, a->notes.count, sizeof(struct tp_rule_note), compare_by_rule, NULL);
    double steps = model->used_count;
    *e->out = (struct tp_recommendations){
        .program = tp_program_kind_text(model->program),
        .step_marker = tp_step_marker_text(model->step_marker),
        .step_count = model->used_count,
        .window_ns = model->window_ns,
        .judged_ns = a->judged_ns,
        .step_us = model->used_count ? tp_microseconds(model->window_ns) / steps : 0.0,
        .total_ceiling_us_per_step = model->used_count ? tp_microseconds(ceiling) / steps : 0.0,
        .total_ceiling_percent = tp_percent(ceiling, a->judged_ns),
        .findings = a->findings.data,
        .finding_count = (uint32_t)a->findings.count,
        .not_evaluated = a->notes.data,
        .not_evaluated_count = (uint32_t)a->notes.count,
        .overhead = a->overhead,
        .unjudged = a->unjudged,
    };
    e->out->judged = copy_spans(a, a->judged, e->arena);
    e->out->unjudged.details = tp_detail_copy(a, a->unjudged.details);
    tp_recommendations_add_totals(e->out);
    return TP_OK;
}

void tp_recommendations_build(struct tp_recommendations *out, const struct tp_rule_basis *basis, struct tp_arena *arena)
{
    struct tp_arena scratch; /* memory for lists as long as the trace, which is released after the evaluation */
    struct evaluation e = {
        out, basis->verdict, arena, {.model = basis->model, .arena = &scratch, .judged_ns = basis->model->window_ns}};
    e.advisor.is_serving = basis->is_serving;
    e.advisor.use = basis->use;
    e.advisor.wants_fixes = basis->is_priced && basis->model->program == TP_RECORDED_GPU;
    e.advisor.quality = basis->quality;
    e.advisor.memory = basis->memory;
    e.advisor.kinds = basis->kinds;
    e.advisor.units = basis->units;
    e.advisor.overrides = basis->overrides;
    tp_arena_init(&scratch, 0);
    scratch.avoids_huge_pages = true;
    int code = tp_arena_run_both(&scratch, arena, build_inside_guard, &e, NULL);
    tp_arena_release(&scratch);
    if (code)
        tp_arena_fail(arena, code);
}
