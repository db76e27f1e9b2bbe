/* A summary -> SummaryEntry: columns of numbers, texts by number. What the columns mean stands in summary.proto. */
#include <math.h>

#include "webreport/measure/summary/evidence_pack.h"
#include "webreport/measure/summary/signature_pack.h"
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/measure/summary/summary_slots.h"
#include "webreport/measure/summary/summary_trim.h"
#include "writer/base/gzip_out.h"
#include "writer/base/limits.h"
#include "writer/proto/summary.pb-c.h"

struct pack {
    const struct tp_summary *from;
    Tp__SummaryProcess *to;
    struct tp_arena *arena;
    struct tp_strings texts;
};

/* A column of the message, of `count` items. */
#define COLUMN(pack, field, count) TP_COLUMN_OF((pack)->to, (pack)->arena, field, count)

static uint32_t text(struct pack *p, struct tp_str value)
{
    return tp_column_text(&p->texts, value);
}

/* Differences wrap around: adding them up again does too. */
static int64_t delta(int64_t value, int64_t *before)
{
    int64_t difference = (int64_t)((uint64_t)value - (uint64_t)*before);
    *before = value;
    return difference;
}

static void pack_metrics(struct pack *p)
{
    const struct tp_summary *s = p->from;
    unsigned count = 0, at = 0;
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        count += !tp_metric_is_left_out(&tp_metrics[i], s->metrics[i].value);
    COLUMN(p, metric_name, count);
    COLUMN(p, metric_value, count);
    COLUMN(p, metric_why, count);
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++) {
        if (tp_metric_is_left_out(&tp_metrics[i], s->metrics[i].value))
            continue;
        p->to->metric_name[at] = text(p, tp_str_of(tp_metrics[i].name));
        p->to->metric_value[at] = isnan(s->metrics[i].value) ? (double)NAN : s->metrics[i].value; /* one NaN */
        p->to->metric_why[at++] = s->metrics[i].why ? text(p, tp_str_of(s->metrics[i].why)) : 0;
    }
}

static void pack_decision(struct pack *p)
{
    const struct tp_run_decision *d = &p->from->decision;
    if (!d->is_known)
        return;
    p->to->decision = d->is_failed ? TP_DECISION_FAIL : TP_DECISION_PASS;
    p->to->decision_accepts = d->is_accepted;
    p->to->decision_by = text(p, d->by);
    p->to->decision_at = text(p, d->at);
    p->to->decision_reason = text(p, d->reason);
    p->to->decision_committed_s = d->committed_s;
}

static void pack_head(struct pack *p)
{
    const struct tp_summary *s = p->from;
    p->to->file = text(p, s->file);
    p->to->sha256 = text(p, s->sha256);
    p->to->program = text(p, s->program);
    p->to->verdict = text(p, s->verdict);
    p->to->headline = text(p, s->headline);
    p->to->producer = s->producer;
    p->to->start_ns = s->start_ns;
    p->to->kernel_fingerprint = s->kernel_fingerprint;
    pack_decision(p);
    pack_metrics(p);
    COLUMN(p, fact_name, s->fact_count);
    COLUMN(p, fact_value, s->fact_count);
    for (uint32_t i = 0; i < s->fact_count; i++) {
        p->to->fact_name[i] = text(p, s->facts[i].name);
        p->to->fact_value[i] = text(p, s->facts[i].value);
    }
}

/* ---- steps ---- */

static bool has_part(const struct tp_summary *s, unsigned part)
{
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].part_ns[part] != TP_NULL_INT)
            return true;
    return false;
}

static void pack_steps(struct pack *p)
{
    const struct tp_summary *s = p->from;
    int64_t before = 0;
    COLUMN(p, step_name, s->step_count);
    COLUMN(p, step_start_ns, s->step_count);
    COLUMN(p, step_total_ns, s->step_count);
    for (uint32_t i = 0; i < s->step_count; i++) {
        p->to->step_name[i] = text(p, s->steps[i].name);
        p->to->step_start_ns[i] = delta(s->steps[i].start_ns, &before);
        p->to->step_total_ns[i] = s->steps[i].total_ns;
    }
    COLUMN(p, left_out_step, s->step_count - tp_summary_used_steps(s));
    for (uint32_t i = 0, at = 0, last = 0; i < s->step_count; i++) {
        if (!s->steps[i].is_left_out)
            continue;
        p->to->left_out_step[at++] = i - last;
        last = i;
    }
    COLUMN(p, part, TP_PART_COUNT);
    COLUMN(p, part_ns, (size_t)TP_PART_COUNT * s->step_count);
    p->to->n_part = p->to->n_part_ns = 0;
    for (unsigned part = 0; part < TP_PART_COUNT; part++) {
        if (!has_part(s, part))
            continue;
        p->to->part[p->to->n_part++] = part;
        for (uint32_t i = 0; i < s->step_count; i++)
            p->to->part_ns[p->to->n_part_ns++] = s->steps[i].part_ns[part];
    }
}

/* ---- rows ---- */

static bool has_span(const struct tp_summary_row *row)
{
    return row->time.max_ns != row->time.min_ns;
}

static void pack_row(struct pack *p, uint32_t i)
{
    const struct tp_summary_row *row = &p->from->rows[i];
    const struct tp_sketch *time = &row->time;
    p->to->row_kind[i] = row->kind;
    p->to->row_name[i] = text(p, row->name);
    p->to->row_owner[i] = text(p, row->owner);
    p->to->row_shape[i] = text(p, row->shape);
    p->to->row_dtype[i] = text(p, row->dtype);
    p->to->row_bytes[i] = row->bytes;
    p->to->row_count[i] = (uint64_t)time->count;
    p->to->row_min_ns[i] = (uint64_t)time->min_ns;
    p->to->row_span_ns[i] = (uint64_t)time->max_ns - (uint64_t)time->min_ns;
    p->to->row_excess_ns[i] = (uint64_t)time->sum_ns - (uint64_t)time->count * (uint64_t)time->min_ns;
    p->to->row_has_steps[i] = row->by_step_ns != NULL;
}

static void pack_buckets(struct pack *p)
{
    size_t spans = 0, buckets = 0;
    for (uint32_t i = 0; i < p->from->row_count; i++)
        if (has_span(&p->from->rows[i])) {
            spans++;
            buckets += p->from->rows[i].time.bucket_count;
        }
    COLUMN(p, row_deviation, spans);
    COLUMN(p, row_buckets, spans);
    COLUMN(p, bucket, buckets);
    COLUMN(p, bucket_count, buckets);
    spans = buckets = 0;
    for (uint32_t i = 0; i < p->from->row_count; i++) {
        const struct tp_sketch *time = &p->from->rows[i].time;
        if (!has_span(&p->from->rows[i]))
            continue;
        p->to->row_deviation[spans] = (float)tp_sketch_deviation(time);
        p->to->row_buckets[spans++] = time->bucket_count;
        for (uint32_t b = 0; b < time->bucket_count; b++, buckets++) {
            p->to->bucket[buckets] = time->buckets[b].bucket - (b ? time->buckets[b - 1].bucket : 0);
            p->to->bucket_count[buckets] = (uint64_t)time->buckets[b].count;
        }
    }
}

static void pack_numbers_by_step(struct pack *p)
{
    const struct tp_summary *s = p->from;
    size_t rows = 0, at = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        rows += s->rows[i].by_step_ns != NULL;
    COLUMN(p, by_step_ns, rows * s->step_count);
    COLUMN(p, by_step_count, rows * s->step_count);
    for (uint32_t i = 0; i < s->row_count; i++)
        for (uint32_t k = 0; k < s->step_count && s->rows[i].by_step_ns; k++, at++) {
            p->to->by_step_ns[at] = s->rows[i].by_step_ns[k];
            p->to->by_step_count[at] = (uint64_t)s->rows[i].by_step_count[k];
        }
}

static void pack_rows(struct pack *p)
{
    uint32_t count = p->from->row_count;
    COLUMN(p, row_kind, count);
    COLUMN(p, row_name, count);
    COLUMN(p, row_owner, count);
    COLUMN(p, row_shape, count);
    COLUMN(p, row_dtype, count);
    COLUMN(p, row_bytes, count);
    COLUMN(p, row_count, count);
    COLUMN(p, row_min_ns, count);
    COLUMN(p, row_span_ns, count);
    COLUMN(p, row_excess_ns, count);
    COLUMN(p, row_has_steps, count);
    for (uint32_t i = 0; i < count; i++)
        pack_row(p, i);
    pack_buckets(p);
    pack_numbers_by_step(p);
}

/* ---- collectives ---- */

static void pack_collectives(struct pack *p)
{
    uint32_t count = p->from->collective_count;
    int64_t sequence = 0, arrival = 0;
    COLUMN(p, collective_name, count);
    COLUMN(p, collective_group, count);
    COLUMN(p, collective_dtype, count);
    COLUMN(p, collective_sequence, count);
    COLUMN(p, collective_bytes, count);
    COLUMN(p, collective_group_size, count);
    COLUMN(p, collective_arrival_ns, count);
    COLUMN(p, collective_duration_ns, count);
    COLUMN(p, collective_step, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_summary_collective *c = &p->from->collectives[i];
        p->to->collective_name[i] = text(p, c->name);
        p->to->collective_group[i] = text(p, c->group);
        p->to->collective_dtype[i] = text(p, c->dtype);
        p->to->collective_sequence[i] = delta(c->sequence, &sequence);
        p->to->collective_bytes[i] = c->bytes;
        p->to->collective_group_size[i] = c->group_size;
        p->to->collective_arrival_ns[i] = delta(c->arrival_ns, &arrival);
        p->to->collective_duration_ns[i] = c->duration_ns;
        p->to->collective_step[i] = c->step + 1; /* TP_NO_ID becomes 0 */
    }
}

/* ---- findings, memory, flags ---- */

static void pack_findings(struct pack *p)
{
    uint32_t count = p->from->finding_count;
    COLUMN(p, finding_rule, count);
    COLUMN(p, finding_title, count);
    COLUMN(p, finding_severity, count);
    COLUMN(p, finding_confidence, count);
    COLUMN(p, finding_ceiling_us, count);
    COLUMN(p, finding_occurrences, count);
    COLUMN(p, finding_line, count);
    COLUMN(p, finding_detail, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_summary_finding *f = &p->from->findings[i];
        p->to->finding_rule[i] = text(p, f->rule);
        p->to->finding_title[i] = text(p, f->title);
        p->to->finding_severity[i] = f->severity;
        p->to->finding_confidence[i] = f->confidence;
        p->to->finding_ceiling_us[i] = isnan(f->ceiling_us_per_step) ? (double)NAN : f->ceiling_us_per_step;
        p->to->finding_occurrences[i] = f->occurrences;
        p->to->finding_line[i] = text(p, f->file_line);
        p->to->finding_detail[i] = text(p, f->detail);
    }
}

static void pack_memory(struct pack *p)
{
    const struct tp_summary *s = p->from;
    size_t owners = 0;
    for (uint32_t i = 0; i < s->memory_count; i++)
        owners += s->memory[i].owner_count;
    COLUMN(p, memory_device, s->memory_count);
    COLUMN(p, memory_peak_bytes, s->memory_count);
    COLUMN(p, memory_reserved_bytes, s->memory_count);
    COLUMN(p, memory_creep, s->memory_count);
    COLUMN(p, memory_owners, s->memory_count);
    COLUMN(p, owner_kind, owners);
    COLUMN(p, owner_name, owners);
    COLUMN(p, owner_bytes, owners);
    COLUMN(p, owner_blocks, owners);
    owners = 0;
    for (uint32_t i = 0; i < s->memory_count; i++) {
        const struct tp_summary_memory *m = &s->memory[i];
        p->to->memory_device[i] = text(p, m->device);
        p->to->memory_peak_bytes[i] = m->peak_allocated_bytes;
        p->to->memory_reserved_bytes[i] = m->peak_reserved_bytes;
        p->to->memory_creep[i] = isnan(m->creep_bytes_per_step) ? (double)NAN : m->creep_bytes_per_step;
        p->to->memory_owners[i] = m->owner_count;
        for (uint32_t o = 0; o < m->owner_count; o++, owners++) {
            p->to->owner_kind[owners] = m->owners[o].kind;
            p->to->owner_name[owners] = text(p, m->owners[o].name);
            p->to->owner_bytes[owners] = m->owners[o].bytes;
            p->to->owner_blocks[owners] = m->owners[o].blocks;
        }
    }
}

static void pack_flags(struct pack *p)
{
    COLUMN(p, flag_name, p->from->flag_count);
    COLUMN(p, flag_count, p->from->flag_count);
    for (uint32_t i = 0; i < p->from->flag_count; i++) {
        p->to->flag_name[i] = text(p, p->from->flags[i].name);
        p->to->flag_count[i] = p->from->flags[i].count;
    }
}

/* ---- all ---- */

static void pack_texts(struct pack *p)
{
    COLUMN(p, text, p->texts.count);
    for (uint32_t i = 0; i < p->texts.count; i++) {
        p->to->text[i].len = p->texts.items[i].len;
        p->to->text[i].data = (uint8_t *)(uintptr_t)p->texts.items[i].ptr; /* only read */
    }
}

static struct tp_str serialized(struct tp_arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = tp_arena_alloc(arena, size + 1);
    protobuf_c_message_pack(message, bytes);
    return (struct tp_str){(const char *)bytes, size};
}

static ProtobufCBinaryData binary(struct tp_str text)
{
    return (ProtobufCBinaryData){text.len, (uint8_t *)(uintptr_t)text.ptr};
}

/* gzip of a SummaryProcess. has_calls: with the sequence of the usual step. */
static struct tp_str packed_process(const struct tp_summary *summary, bool has_calls, struct tp_arena *arena)
{
    Tp__SummaryProcess process = TP__SUMMARY_PROCESS__INIT;
    struct pack p = {.from = summary, .to = &process, .arena = arena};
    struct tp_signature signature = summary->signature;
    tp_strings_init(&p.texts, arena, 0);
    if (!has_calls)
        signature.call_count = signature.lane_count = signature.place_count = 0;
    pack_head(&p);
    pack_steps(&p);
    pack_rows(&p);
    pack_collectives(&p);
    pack_findings(&p);
    pack_memory(&p);
    pack_flags(&p);
    tp_evidence_pack(&process, &summary->evidence, &p.texts, arena);
    tp_signature_pack(&process, &signature, &p.texts, arena);
    if (summary->comparison)
        tp_comparison_pack(&process, summary->comparison, &p.texts, arena);
    tp_slots_pack(&process, &summary->slots, &p.texts, arena);
    pack_texts(&p);
    struct tp_str bytes = serialized(arena, &process.base);
    return tp_gzip_small(arena, &bytes, 1);
}

/* What is too large goes without the sequence of a step, then with fewer rows of each kind. */
static struct tp_str small_process(const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_summary trimmed = *summary;
    struct tp_str process = packed_process(summary, true, arena);
    if (process.len > TP_MAX_SUMMARY_KEPT_BYTES && summary->signature.call_count)
        process = packed_process(summary, false, arena);
    for (uint32_t most = TP_MAX_SUMMARY_ROWS * 3 / 4;
         process.len > TP_MAX_SUMMARY_KEPT_BYTES && most >= TP_LEAST_SUMMARY_ROWS; most = most * 3 / 4) {
        tp_summary_trim(&trimmed, most, arena);
        process = packed_process(&trimmed, false, arena);
    }
    return process;
}

struct tp_str tp_summary_entry(const struct tp_summary *summary, struct tp_arena *arena)
{
    Tp__SummaryEntry entry = TP__SUMMARY_ENTRY__INIT;
    struct tp_str process = small_process(summary, arena);
    entry.job = binary(summary->key.job);
    entry.rank = summary->key.rank;
    entry.world_size = summary->key.world_size;
    entry.worker = binary(summary->key.worker);
    entry.span = summary->key.span;
    entry.event_count = summary->event_count;
    entry.process = binary(process);
    return serialized(arena, &entry.base);
}
