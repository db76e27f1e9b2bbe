/* Builds the summary of an analyzed trace. See summary_build.h. Each part of a summary has its own file
 * (summary_parts.h). */
#include "webreport/measure/summary/summary_build.h"

#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

static void fill_key(struct tp_summary_work *work)
{
    const struct tp_summary_key *from = &work->source->key;
    struct tp_summary_key *key = &work->out->key;
    struct tp_str distributed = tp_trace_header(work->source->trace, "distributedInfo");
    *key = *from;
    key->job = tp_summary_intern_text(work, from->job);
    key->worker = tp_summary_intern_text(work, from->worker);
    if (key->rank == TP_NULL_INT && distributed.ptr)
        key->rank = tp_value_rank(distributed);
    if (key->world_size == TP_NULL_INT && distributed.ptr)
        key->world_size = tp_value_world_size(distributed);
}

/* Builds the members that `diff` and the comparison of ranks need. */
static void build_comparable(struct tp_summary_work *work)
{
    if (work->source->extent == TP_SUMMARY_WHOLE) {
        tp_summary_fingerprint_build(work);
        tp_summary_collectives_build(work);
        tp_summary_comparison_build(work);
        tp_summary_slots_build(work);
    }
    tp_signature_build(work);
}

void tp_summary_build(struct tp_summary *summary, const struct tp_summary_source *source, struct tp_arena *arena)
{
    uint64_t left_out[TP_CUT_COUNT] = {0};
    struct tp_summary_work work = {
        .out = summary, .source = source, .arena = arena, .scratch = source->trace->arena, .left_out = left_out};
    struct tp_metric_source numbers = {source->views, source->advice, source->model};
    memset(summary, 0, sizeof *summary);
    tp_strings_init(&work.texts, work.scratch, 0);
    work.copies = TP_VEC(work.scratch, struct tp_str);
    fill_key(&work);
    summary->file = tp_summary_intern_text(&work, source->file);
    summary->sha256 = tp_summary_intern_text(&work, source->sha256);
    summary->program = tp_summary_intern_text(&work, tp_str_of(source->advice->recommendations.program));
    summary->verdict = tp_summary_intern_text(&work, tp_str_of(tp_verdict_class_text(source->advice->verdict.class)));
    summary->headline = tp_summary_intern_text(&work, source->advice->verdict.headline);
    summary->producer = source->model->producer;
    summary->event_count = (int64_t)source->model->event_count;
    summary->start_ns = tp_sat_add(tp_trace_base_ns(source->trace, source->model->first_ns), source->model->first_ns);
    summary->evidence = source->trace->evidence;
    if (summary->evidence.producer.ptr)
        summary->evidence.producer = tp_summary_intern_text(&work, summary->evidence.producer);
    tp_metrics_build(summary->metrics, &numbers);
    tp_summary_steps_build(&work);
    tp_summary_rows_build(&work);
    tp_summary_facts_build(&work);
    if (source->extent != TP_SUMMARY_JUDGED) {
        build_comparable(&work);
        tp_summary_generated_build(&work);
    }
    tp_summary_findings_build(&work);
    if (source->extent == TP_SUMMARY_WHOLE)
        tp_summary_memory_build(&work);
    tp_summary_ranges_build(&work);
    tp_summary_gains_build(&work);
    tp_summary_flags_build(&work);
}
