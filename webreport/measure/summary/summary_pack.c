/* Packs a summary into a SummaryEntry: columns of numbers, texts by number. summary.proto documents the columns. */
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

/* Makes a column of the message with `count` items. */
#define COLUMN(pack, field, count) TP_COLUMN_OF((pack)->to, (pack)->arena, field, count)

static uint32_t text(struct pack *p, struct tp_str value)
{
    return tp_column_text(&p->texts, value);
}

static void pack_list(struct pack *p, enum tp_list list, const void *items, size_t count)
{
    tp_columns_pack(list, p->to, items, count, &p->texts, p->arena);
}

static void pack_metrics(struct pack *p)
{
    const struct tp_summary *s = p->from;
    unsigned count = 0, at = 0;
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        count += !tp_metric_is_left_out(&tp_metrics[i], s->metrics[i].value);
    tp_columns_make(TP_LIST_METRICS, p->to, count, p->arena);
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++) {
        if (tp_metric_is_left_out(&tp_metrics[i], s->metrics[i].value))
            continue;
        p->to->metric_name[at] = text(p, tp_str_of(tp_metrics[i].name));
        /* one bit pattern for NaN */
        p->to->metric_value[at] = isnan(s->metrics[i].value) ? (double)NAN : s->metrics[i].value;
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
    pack_list(p, TP_LIST_FACTS, s->facts, s->fact_count);
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
    pack_list(p, TP_LIST_STEPS, s->steps, s->step_count);
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
    tp_columns_make(TP_LIST_SPANS, p->to, spans, p->arena);
    tp_columns_make(TP_LIST_BUCKETS, p->to, buckets, p->arena);
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
    tp_columns_make(TP_LIST_CELLS, p->to, rows * s->step_count, p->arena);
    for (uint32_t i = 0; i < s->row_count; i++)
        for (uint32_t k = 0; k < s->step_count && s->rows[i].by_step_ns; k++, at++) {
            p->to->by_step_ns[at] = s->rows[i].by_step_ns[k];
            p->to->by_step_count[at] = (uint64_t)s->rows[i].by_step_count[k];
        }
}

static void pack_rows(struct pack *p)
{
    pack_list(p, TP_LIST_ROWS, p->from->rows, p->from->row_count);
    for (uint32_t i = 0; i < p->from->row_count; i++)
        pack_row(p, i);
    pack_buckets(p);
    pack_numbers_by_step(p);
}

/* ---- memory ---- */

static void pack_memory(struct pack *p)
{
    const struct tp_summary *s = p->from;
    size_t owners = 0;
    for (uint32_t i = 0; i < s->memory_count; i++)
        owners += s->memory[i].owner_count;
    tp_columns_make(TP_LIST_DEVICES, p->to, s->memory_count, p->arena);
    tp_columns_make(TP_LIST_OWNERS, p->to, owners, p->arena);
    owners = 0;
    for (uint32_t i = 0; i < s->memory_count; i++) {
        const struct tp_summary_memory *m = &s->memory[i];
        tp_columns_put(TP_LIST_DEVICES, p->to, i, m, &p->texts);
        for (uint32_t o = 0; o < m->owner_count; o++)
            tp_columns_put(TP_LIST_OWNERS, p->to, owners++, &m->owners[o], &p->texts);
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

/* Returns the gzip of a SummaryProcess. has_calls: with the sequence of the usual step. */
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
    pack_list(&p, TP_LIST_COLLECTIVES, summary->collectives, summary->collective_count);
    pack_list(&p, TP_LIST_FINDINGS, summary->findings, summary->finding_count);
    pack_memory(&p);
    pack_list(&p, TP_LIST_FLAGS, summary->flags, summary->flag_count);
    tp_evidence_pack(&process, &summary->evidence, &p.texts, arena);
    tp_signature_pack(&process, &signature, &p.texts, arena);
    if (summary->comparison)
        tp_comparison_pack(&process, summary->comparison, &p.texts, arena);
    tp_slots_pack(&process, &summary->slots, &p.texts, arena);
    pack_texts(&p);
    struct tp_str bytes = serialized(arena, &process.base);
    return tp_gzip_small(arena, &bytes, 1);
}

/* Packs a process that is too large without the sequence of a step, then with fewer rows of each kind. */
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
