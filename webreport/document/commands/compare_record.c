/* Fills the record of a comparison. Scripts depend on the names of its keys. See compare_parts.h. */
#include <math.h>

#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_words.h"

#include "webreport/document/commands/work_record.h"

static void add_percent_to_record(struct tp_object *object, const char *key, double ratio)
{
    tp_object_add_real(object, key, 100 * ratio);
}

/* Adds the evidence of every run on each side. */
static void add_evidence_to_record(struct tp_object *record, const struct tp_compare *c)
{
    struct tp_object *object = tp_object_add_object(record, "evidence");
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side_input *side = c->sides.side[s].input;
        struct tp_list *runs = tp_object_add_list(object, s == TP_BASE ? "base" : "new");
        for (uint32_t i = 0; i < side->run_count; i++) {
            struct tp_object *run = tp_list_add_object(runs);
            tp_object_add_str(run, "file", side->runs[i].file);
            tp_object_add_evidence(run, "evidence", &side->runs[i].evidence);
        }
    }
}

/* Adds the comparison of the workloads, including the facts that differ. */
static void add_identity_to_record(struct tp_object *record, const struct tp_compare *c)
{
    struct tp_object *identity = tp_object_add_object(record, "identity");
    tp_object_add_text(identity, "workload", tp_workload_name(c->comparability.workload));
    tp_object_add_bool(identity, "is_other_input_alone", c->comparability.is_other_input_alone);
    struct tp_list *differs = tp_object_add_list(identity, "differs");
    for (uint32_t i = 0; i < c->comparability.fact_count; i++) {
        const struct tp_fact_pair *fact = &c->comparability.facts[i];
        bool is_half = fact->verdict == TP_FACT_UNKNOWN && (fact->values[0].len || fact->values[1].len);
        if (fact->class == TP_FACT_RESULT || (fact->verdict != TP_FACT_DIFFERS && !is_half))
            continue;
        struct tp_object *object = tp_list_add_object(differs);
        tp_object_add_str(object, "fact", fact->name);
        tp_object_add_str(object, "base", fact->values[TP_BASE]);
        tp_object_add_str(object, "new", fact->values[TP_NEW]);
        tp_object_add_text(object, "class", tp_fact_class_name(fact->class));
        tp_object_add_text(object, "verdict", tp_fact_verdict_name(fact->verdict));
    }
}

/* Adds the changes of work per step; null if a side has no counts. */
static void add_changes_to_record(struct tp_object *record, const struct tp_compare *c)
{
    const struct tp_work_diff *work = &c->work;
    struct tp_object *object = tp_object_add_object(record, "work");
    tp_object_add_bool(object, "is_known", work->is_known);
    tp_object_add_bool(object, "is_same", work->is_same);
    tp_object_add_bool(object, "by_name", work->has_names_only);
    tp_object_add_int(object, "varying", work->varying_key_count);
    struct tp_list *list = tp_object_add_list(record, "changes");
    for (uint32_t i = 0; i < work->count; i++)
        tp_work_change_fill_record(tp_list_add_object(list), &work->changes[i], record->members.arena);
}

/* Adds each quantity that is known for every run of both sides. */
static void add_times_to_record(struct tp_object *times, const struct tp_compare *c)
{
    for (enum tp_quantity q = 0; q < TP_QUANTITIES; q++) {
        const struct tp_total *total = &c->totals[q];
        if (!total->is_known)
            continue;
        struct tp_object *object = tp_object_add_object(times, tp_quantity_name(q));
        tp_object_add_text(object, "verdict", tp_change_verdict_name(total->verdict));
        add_percent_to_record(object, "change_percent", total->change.estimate);
        add_percent_to_record(object, "low_percent", total->change.low);
        add_percent_to_record(object, "high_percent", total->change.high);
        add_percent_to_record(object, "sees_percent", total->change.detectable);
        add_percent_to_record(object, "run_sd_percent", total->change.noise.sd);
        tp_object_add_real(object, "degrees_of_freedom", total->change.noise.freedom);
        tp_object_add_int(object, "base_runs", (int64_t)total->change.base_count);
        tp_object_add_int(object, "new_runs", (int64_t)total->change.new_count);
    }
}

static void add_verdict_to_record(struct tp_object *record, const struct tp_compare *c, const char *summary)
{
    const char *left_out = tp_compare_left_out_text(c, c->arena);
    tp_object_add_text(record, "schema", "tracepress-diff");
    tp_object_add_int(record, "schema_version", 2);
    tp_object_add_text(record, "verdict", tp_compare_verdict_word(c));
    tp_object_add_text(record, "summary", summary);
    tp_object_add_text(record, "damage", *c->damage ? c->damage : NULL);
    tp_object_add_text(record, "not_compared", *left_out ? left_out : NULL);
    add_evidence_to_record(record, c);
    /* also writes the old key "step_time", for scripts written for earlier versions */
    struct tp_object *step = tp_object_add_object(record, "step_time");
    tp_object_add_text(step, "verdict", tp_change_verdict_name(c->totals[TP_QUANTITY_STEP].verdict));
    add_percent_to_record(step, "change_percent", c->totals[TP_QUANTITY_STEP].change.estimate);
    add_percent_to_record(step, "low_percent", c->totals[TP_QUANTITY_STEP].change.low);
    add_percent_to_record(step, "high_percent", c->totals[TP_QUANTITY_STEP].change.high);
    add_times_to_record(tp_object_add_object(record, "times"), c);
    add_percent_to_record(record, "common_shift_percent", c->changes.shift);
    tp_object_add_text(record, "memory_verdict", tp_change_verdict_name(c->memory_verdict));
    add_percent_to_record(record, "confidence_percent", 1 - TP_RUN_ERROR_CHANCE);
    add_percent_to_record(record, "threshold_percent", c->options.threshold);
    add_percent_to_record(record, "least_share_percent", TP_CHANGE_LEAST_SHARE);
    add_identity_to_record(record, c);
    add_changes_to_record(record, c);
    struct tp_object *counts = tp_object_add_object(record, "counts");
    tp_object_add_int(counts, "regressed", c->regressed_count);
    tp_object_add_int(counts, "improved", c->improved_count);
    tp_object_add_int(counts, "replaced", c->replaced_count);
    tp_object_add_int(counts, "hints", c->hint_count);
    tp_object_add_int(counts, "tested", c->changes.tested_count);
}

static void add_side_to_record(struct tp_object *record, const struct tp_compare *c, int s)
{
    const struct tp_side *side = &c->sides.side[s];
    struct tp_object *object = tp_object_add_object(record, s == TP_BASE ? "base" : "new");
    tp_object_add_text(object, "name", c->names[s]);
    tp_object_add_int(object, "runs", side->input->run_count);
    struct tp_list *verdicts = tp_object_add_list(object, "verdicts");
    for (uint32_t i = 0; i < side->input->run_count; i++) {
        struct tp_object *run = tp_list_add_object(verdicts);
        tp_object_add_str(run, "file", side->input->runs[i].file);
        tp_object_add_str(run, "verdict", side->input->runs[i].verdict);
        tp_object_add_str(run, "headline", side->input->runs[i].headline);
    }
    tp_object_add_int(object, "steps", (int64_t)side->step_count);
    tp_object_add_real(object, "step_median_us", c->step_ns[s] / 1000);
    tp_object_add_real(object, "step_mean_us", side->total_ns / 1000);
}

static void add_tree_to_record(struct tp_object *record, const struct tp_compare *c)
{
    const struct tp_difftree *tree = &c->tree;
    struct tp_object *object = tp_object_add_object(record, "call_tree");
    tp_object_add_text(object, "time", tree->has_device ? "device" : "host");
    struct tp_list *calls = tp_object_add_list(object, "calls");
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_diffcall *call = &tree->calls[i];
        struct tp_object *item = tp_list_add_object(calls);
        tp_object_add_int(item, "depth", call->depth);
        tp_object_add_str(item, "name", call->name);
        tp_object_add_ns(item, "base_us", llround(fmin(fmax(call->ns[TP_BASE], -9e18), 9e18)));
        tp_object_add_ns(item, "new_us", llround(fmin(fmax(call->ns[TP_NEW], -9e18), 9e18)));
        tp_object_add_real(item, "base_calls", call->calls[TP_BASE]);
        tp_object_add_real(item, "new_calls", call->calls[TP_NEW]);
    }
}

void tp_compare_fill_record(struct tp_document *document, const struct tp_compare *compare,
                            const struct tp_verdict_block *verdict)
{
    struct tp_object *record = document->record;
    add_verdict_to_record(record, compare, tp_verdict_block_line(document, verdict));
    for (int s = 0; s < TP_SIDES; s++)
        add_side_to_record(record, compare, s);
    for (enum tp_compare_table i = 0; i < TP_COMPARE_TABLES; i++)
        if (!tp_compare_omits_empty_table(i) || compare->tables[i].row_count)
            tp_object_add_table(record, tp_compare_table_key(i), &compare->tables[i]);
    add_tree_to_record(record, compare);
}
