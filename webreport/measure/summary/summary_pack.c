/* Packs a summary into a SummaryEntry. The tables of summary_columns.c map fields to members. */
#include "webreport/measure/summary/evidence_pack.h"
#include "webreport/measure/summary/message.h"
#include "webreport/measure/summary/rows_pack.h"
#include "webreport/measure/summary/signature_pack.h"
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/measure/summary/summary_slots.h"
#include "webreport/measure/summary/summary_trim.h"
#include "writer/base/gzip_out.h"
#include "writer/base/limits.h"

/* ---- head ---- */

static void pack_decision(struct tp_column_writer *writer, const struct tp_run_decision *d)
{
    struct tp_stored_decision stored = {.number = d->is_failed ? TP_DECISION_FAIL : TP_DECISION_PASS,
                                        .accepts = d->is_accepted,
                                        .by = d->by,
                                        .at = d->at,
                                        .reason = d->reason,
                                        .committed_s = d->committed_s};
    if (d->is_known)
        tp_columns_write(&tp_record_decision, writer, &stored, 1);
}

static void pack_metrics(struct tp_column_writer *writer, const struct tp_metric_value *values)
{
    struct tp_stored_metric metrics[TP_METRIC_COUNT];
    size_t count = 0;
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++) {
        if (tp_metric_is_omitted(&tp_metrics[i], values[i].value))
            continue;
        metrics[count++] = (struct tp_stored_metric){.name = tp_str_of(tp_metrics[i].name),
                                                     .value = values[i].value,
                                                     .why = tp_str_of(values[i].why ? values[i].why : "")};
    }
    tp_columns_write(&tp_list_metrics, writer, metrics, count);
}

/* ---- steps ---- */

static bool has_step_part(const struct tp_summary *s, unsigned part)
{
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].part_ns[part] != TP_NULL_INT)
            return true;
    return false;
}

/* Writes the parts of step times that occur in at least one step. */
static void pack_parts(struct tp_column_writer *writer, const struct tp_summary *s)
{
    uint32_t parts[TP_PART_COUNT], count = 0;
    int64_t *part_ns = tp_arena_array(writer->arena, (size_t)TP_PART_COUNT * s->step_count, sizeof *part_ns);
    size_t cells = 0;
    for (unsigned part = 0; part < TP_PART_COUNT; part++) {
        if (!has_step_part(s, part))
            continue;
        parts[count++] = part;
        for (uint32_t i = 0; i < s->step_count; i++)
            part_ns[cells++] = s->steps[i].part_ns[part];
    }
    tp_columns_write(&tp_list_step_parts, writer, parts, count);
    tp_columns_write(&tp_list_step_part_ns, writer, part_ns, cells);
}

static void pack_steps(struct tp_column_writer *writer, const struct tp_summary *s)
{
    uint32_t *left_out = tp_arena_array(writer->arena, s->step_count, sizeof *left_out), count = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].is_left_out)
            left_out[count++] = i;
    tp_columns_write(&tp_list_steps, writer, s->steps, s->step_count);
    tp_columns_write(&tp_list_left_out, writer, left_out, count);
    pack_parts(writer, s);
}

/* ---- all ---- */

/* Returns the gzip of a SummaryProcess. has_calls: true to include the sequence of operators in the usual step. */
static struct tp_str pack_process(const struct tp_summary *summary, bool has_calls, struct tp_arena *arena)
{
    struct tp_column_writer writer = {.to = tp_message_new(tp_message_process, arena), .arena = arena};
    struct tp_signature signature = summary->signature;
    tp_strings_init(&writer.texts, arena, 0);
    if (!has_calls)
        signature.call_count = signature.lane_count = signature.place_count = 0;
    tp_columns_write(&tp_record_head, &writer, summary, 1);
    pack_decision(&writer, &summary->decision);
    pack_metrics(&writer, summary->metrics);
    tp_columns_write(&tp_list_facts, &writer, summary->facts, summary->fact_count);
    pack_steps(&writer, summary);
    tp_rows_pack(&writer, summary);
    tp_columns_write(&tp_list_collectives, &writer, summary->collectives, summary->collective_count);
    tp_columns_write(&tp_list_findings, &writer, summary->findings, summary->finding_count);
    tp_columns_write(&tp_list_memory, &writer, summary->memory, summary->memory_count);
    tp_columns_write(&tp_list_named_ranges, &writer, summary->ranges, summary->range_count);
    tp_columns_write(&tp_list_generated, &writer, summary->generated, summary->generated_count);
    tp_columns_write(&tp_list_flags, &writer, summary->flags, summary->flag_count);
    tp_evidence_pack(&writer, &summary->evidence);
    tp_signature_pack(&writer, &signature);
    if (summary->comparison)
        tp_comparison_pack(&writer, summary->comparison);
    tp_slots_pack(&writer, &summary->slots);
    tp_columns_write(&tp_list_texts, &writer, writer.texts.items, writer.texts.count);
    struct tp_str bytes = tp_message_bytes(writer.to, arena);
    return tp_gzip_small(arena, &bytes, 1);
}

/* Makes a smaller version of a process that is too large: first without the sequence of operators in a step, then with
 * fewer rows of each kind. */
static struct tp_str pack_smaller_process(const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_summary trimmed = *summary;
    struct tp_str process = pack_process(summary, true, arena);
    if (process.len > TP_MAX_SUMMARY_KEPT_BYTES && summary->signature.call_count)
        process = pack_process(summary, false, arena);
    for (uint32_t most = TP_MAX_SUMMARY_ROWS * 3 / 4;
         process.len > TP_MAX_SUMMARY_KEPT_BYTES && most >= TP_LEAST_SUMMARY_ROWS; most = most * 3 / 4) {
        tp_summary_trim(&trimmed, most, arena);
        process = pack_process(&trimmed, false, arena);
    }
    return process;
}

struct tp_str tp_summary_pack_entry(const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_column_writer writer = {.to = tp_message_new(tp_message_entry, arena), .arena = arena};
    struct tp_stored_entry entry = {summary->key, summary->event_count, pack_smaller_process(summary, arena)};
    tp_columns_write(&tp_record_entry, &writer, &entry, 1);
    return tp_message_bytes(writer.to, arena);
}
