/* The rules in their order, and the finished list of findings. See rules.h. */
#include "webreport/measure/rules/rules.h"

#include <math.h>

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_order.h"
#include "writer/base/sort.h"

static const tp_rule_evaluate gpu_rules[] = {
    tp_rules_prepare_gpu, tp_rule_record,        tp_rule_device_code,   tp_rule_waits,
    tp_rule_loading,      tp_rule_allocator,     tp_rule_loader,        tp_rule_pageable,
    tp_rule_input_copy,   tp_rule_tiny_copies,   tp_rule_data_parallel, tp_rule_wrapper,
    tp_rule_each_micro_step, tp_rule_pipeline,    tp_rule_small_collectives,
    tp_rule_sharding,     tp_rule_host_code,     tp_rule_short_kernels, tp_rule_launches,
    tp_rule_graph,        tp_rule_single,        tp_rule_kernels,       tp_rule_optimizer,
    tp_rule_small_grids,  tp_rule_communication, tp_rule_fusion,        tp_rule_products,
    tp_rule_layouts,      tp_rule_overhead,      tp_rule_micro_steps,   tp_rule_one_sample,
    tp_rule_already};

static const tp_rule_evaluate cpu_rules[] = {
    tp_rules_prepare_cpu, tp_rule_cpu_loader, tp_rule_cpu_loop,    tp_rule_cpu_optimizer, tp_rule_wrapper,
    tp_rule_each_micro_step, tp_rule_pipeline, tp_rule_small_collectives,
    tp_rule_cpu_crowd,    tp_rule_cpu_code,   tp_rule_cpu_chains,  tp_rule_cpu_outlier,   tp_rule_cpu_batch,
    tp_rule_cpu_small,    tp_rule_cpu_python, tp_rule_cpu_copies,  tp_rule_cpu_communication,
    tp_rule_micro_steps,  tp_rule_one_sample, tp_rule_already};

double tp_finding_most_us(const struct tp_finding *finding)
{
    double part = finding->share_percent > 0 ? finding->high_percent / finding->share_percent : 1;
    return finding->ceiling_us_per_step * (finding->most_percent > 0 ? part : fmin(part, 1));
}

static int by_rule(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct tp_rule_note *p = x, *q = y;
    if (p->rule != q->rule)
        return p->rule < q->rule ? -1 : 1;
    return strcmp(p->reason, q->reason);
}

static void note_other_programs(struct tp_advisor *a)
{
    enum tp_program_kind program = a->model->program;
    unsigned count;
    const struct tp_rule *rules = tp_rules(&count);
    for (unsigned i = 0; i < count; i++) {
        bool is_for_it = rules[i].program == TP_RULE_ANY ||
                         (rules[i].program == TP_RULE_GPU && program == TP_RECORDED_GPU) ||
                         (rules[i].program == TP_RULE_CPU && program == TP_RECORDED_CPU);
        if (rules[i].program == TP_RULE_RANKS)
            tp_advisor_skip(a, (enum tp_rule_id)i, "needs several ranks");
        else if (!is_for_it)
            tp_advisor_skip(a, (enum tp_rule_id)i, "not for this kind of program");
    }
}

static void skip_all(struct tp_advisor *a)
{
    unsigned count;
    tp_rules(&count);
    for (unsigned i = 0; i < count; i++)
        tp_advisor_skip(a, (enum tp_rule_id)i, "too little to judge");
}

static void evaluate(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    if (a->quality->is_fragment) {
        skip_all(a);
        return;
    }
    if (model->program == TP_RECORDED_GPU && model->window_ns)
        for (size_t i = 0; i < sizeof gpu_rules / sizeof *gpu_rules; i++)
            gpu_rules[i](a);
    else if (model->program == TP_RECORDED_CPU && model->window_ns && model->host_main != TP_NO_ID)
        for (size_t i = 0; i < sizeof cpu_rules / sizeof *cpu_rules; i++)
            cpu_rules[i](a);
    tp_rule_no_device(a);
    tp_rule_memory(a);
    note_other_programs(a);
}

/* What the rules find of a model. */
struct evaluation {
    struct tp_recommendations *out;
    const struct tp_trace_verdict *verdict;
    struct tp_arena *arena; /* of what is found */
    struct tp_advisor advisor;
};

/* Sums the estimates, each of which is about time that no other one is about (tp_findings_bound). */
static void add_totals(struct tp_recommendations *r)
{
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const struct tp_finding *f = &r->findings[i];
        if (isnan(f->ceiling_us_per_step))
            continue;
        /* where short events cost more than they last, all ceilings together would be less than one */
        r->total_ceiling_us_per_step = fmax(r->total_ceiling_us_per_step, f->ceiling_us_per_step);
        r->total_ceiling_percent = fmax(r->total_ceiling_percent, f->share_percent);
        r->total_gain_us_per_step += f->high_percent > 0 ? tp_finding_most_us(f) * f->counted_percent / f->high_percent : 0;
        r->total_gain_percent += f->counted_percent;
        r->total_low_percent += f->low_percent;
    }
    /* time is counted once, so that only the last digits of the sums can be above */
    r->total_gain_us_per_step = fmin(r->total_gain_us_per_step, r->total_ceiling_us_per_step);
    r->total_gain_percent = fmin(r->total_gain_percent, r->total_ceiling_percent);
}

static int recommend(void *context, struct tp_error *err)
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
        tp_advisor_skip(a, TP_RULE_E1, "one collective is half of the window: ranks came late");
    }
    a->accumulation = tp_accumulation_find(model, a->arena);
    evaluate(a);
    tp_findings_sort(a->arena, a->findings.data, a->findings.count, e->verdict->class);
    int64_t ceiling = tp_findings_bound(a);
    tp_merge_sort(a->arena, a->notes.data, a->notes.count, sizeof(struct tp_rule_note), by_rule, NULL);
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
    add_totals(e->out);
    return TP_OK;
}

void tp_recommendations_build(struct tp_recommendations *out, const struct tp_rule_basis *basis, struct tp_arena *arena)
{
    struct tp_arena scratch; /* sets of intervals and lists, as long as the trace: gone with the last rule */
    struct evaluation e = {
        out, basis->verdict, arena, {.model = basis->model, .arena = &scratch, .judged_ns = basis->model->window_ns}};
    e.advisor.is_serving = basis->is_serving;
    e.advisor.use = basis->use;
    e.advisor.quality = basis->quality;
    e.advisor.memory = basis->memory;
    e.advisor.kinds = basis->kinds;
    e.advisor.units = basis->units;
    e.advisor.overrides = basis->overrides;
    tp_arena_init(&scratch, 0);
    int code = tp_arena_run_both(&scratch, arena, recommend, &e, NULL);
    tp_arena_release(&scratch);
    if (code)
        tp_arena_fail(arena, code);
}
