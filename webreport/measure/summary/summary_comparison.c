/* Stores the comparison of ranks inside a summary: see summary_comparison.h. */
#include "webreport/measure/summary/summary_comparison.h"
#include "webreport/measure/summary/summary_columns.h"

#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/proto/summary.pb-c.h"

/* ---- building ---- */

static struct tp_str kept(struct tp_summary_work *work, struct tp_str text)
{
    return text.ptr ? tp_summary_text(work, text) : text;
}

void tp_summary_comparison_build(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    struct tp_rank_summary *rank = tp_arena_alloc(work->arena, sizeof *rank);
    if (!model->collectives.count || model->collectives.count > TP_MAX_SUMMARY_COLLECTIVES)
        return;
    tp_rank_summary_build(rank, work->out->key.worker, model, &work->source->views->overview, work->arena);
    if (rank->range_count > TP_MAX_SUMMARY_ITEMS || rank->label_count > TP_MAX_SUMMARY_STEPS)
        return;
    for (uint32_t i = 0; i < rank->label_count; i++)
        rank->labels[i] = kept(work, rank->labels[i]);
    for (size_t i = 0; i < rank->overlap.row_count; i++)
        tp_table_text(&rank->overlap, TP_OVERLAP_STEP)[i] =
            kept(work, tp_table_text(&rank->overlap, TP_OVERLAP_STEP)[i]);
    for (uint32_t i = 0; i < rank->record_count; i++) {
        rank->records[i].name = kept(work, rank->records[i].name);
        for (unsigned k = 0; k < TP_RANK_METAS; k++)
            rank->records[i].meta[k] = kept(work, rank->records[i].meta[k]);
    }
    for (uint32_t g = 0; g < rank->gpu_count; g++) {
        rank->gpus[g].name = kept(work, rank->gpus[g].name);
        rank->gpus[g].compute_capability = kept(work, rank->gpus[g].compute_capability);
    }
    work->out->comparison = rank;
}

/* ---- packing ---- */

#define COLUMN(field, count) TP_COLUMN_OF(to, arena, field, count)

/* Returns the number of a text; 0: no text. */
static uint32_t number_or_none(struct tp_strings *texts, struct tp_str text)
{
    return text.ptr ? tp_column_text(texts, text) + 1 : 0;
}

static void pack_overlap(Tp__SummaryProcess *to, const struct tp_table *overlap, struct tp_strings *texts,
                         struct tp_arena *arena)
{
    size_t count = overlap->row_count;
    tp_columns_make(TP_LIST_OVERLAP, to, count, arena);
    for (size_t i = 0; i < count; i++) {
        to->overlap_step[i] = tp_column_text(texts, tp_table_text(overlap, TP_OVERLAP_STEP)[i]);
        to->overlap_computation_ns[i] = tp_table_int(overlap, TP_OVERLAP_COMPUTATION)[i];
        to->overlap_communication_ns[i] = tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i];
        to->overlap_both_ns[i] = tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i];
        to->overlap_other_ns[i] = tp_table_int(overlap, TP_OVERLAP_OTHER)[i];
    }
}

static void pack_records(Tp__SummaryProcess *to, const struct tp_rank_summary *from, struct tp_strings *texts,
                         struct tp_arena *arena)
{
    int64_t before = 0;
    tp_columns_make(TP_LIST_RECORDS, to, from->record_count, arena);
    COLUMN(record_meta, (size_t)from->record_count * TP_RANK_METAS);
    for (uint32_t i = 0; i < from->record_count; i++) {
        const struct tp_rank_record *record = &from->records[i];
        tp_columns_put(TP_LIST_RECORDS, to, i, record, texts);
        for (unsigned k = 0; k < TP_RANK_METAS; k++)
            to->record_meta[i * TP_RANK_METAS + k] = number_or_none(texts, record->meta[k]);
    }
    tp_columns_make(TP_LIST_RANGES, to, from->range_count, arena);
    for (uint32_t i = 0; i < from->range_count; i++) {
        to->range_start_ns[i] = (int64_t)((uint64_t)from->ranges[i].a - (uint64_t)before);
        to->range_length_ns[i] = tp_sat_sub(from->ranges[i].b, from->ranges[i].a);
        before = from->ranges[i].a;
    }
}

void tp_comparison_pack(Tp__SummaryProcess *to, const struct tp_rank_summary *from, struct tp_strings *texts,
                        struct tp_arena *arena)
{
    COLUMN(label, from->label_count);
    for (uint32_t i = 0; i < from->label_count; i++)
        to->label[i] = tp_column_text(texts, from->labels[i]);
    pack_overlap(to, &from->overlap, texts, arena);
    pack_records(to, from, texts, arena);
    to->device_count = from->device_count;
    tp_columns_pack(TP_LIST_GPUS, to, from->gpus, from->gpu_count, texts, arena);
}

/* ---- unpacking ---- */

static struct tp_str text_or_none(struct tp_unpack *u, uint32_t number)
{
    return number ? tp_unpack_text(u, number - 1) : (struct tp_str){NULL, 0};
}

static void unpack_overlap(struct tp_unpack *u, struct tp_table *overlap)
{
    const Tp__SummaryProcess *from = u->from;
    tp_rank_overlap_init(overlap, from->n_overlap_step, u->arena);
    for (size_t i = 0; i < overlap->row_count; i++) {
        tp_table_text(overlap, TP_OVERLAP_STEP)[i] = tp_unpack_text(u, from->overlap_step[i]);
        tp_table_int(overlap, TP_OVERLAP_COMPUTATION)[i] = from->overlap_computation_ns[i];
        tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i] = from->overlap_communication_ns[i];
        tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i] = from->overlap_both_ns[i];
        tp_table_int(overlap, TP_OVERLAP_OTHER)[i] = from->overlap_other_ns[i];
    }
}

static void unpack_records(struct tp_unpack *u, struct tp_rank_summary *rank)
{
    const Tp__SummaryProcess *from = u->from;
    uint64_t ranges = 0;
    rank->records = tp_columns_unpack(TP_LIST_RECORDS, u, &rank->record_count);
    u->is_bad |= from->n_record_meta != (uint64_t)rank->record_count * TP_RANK_METAS;
    for (uint32_t i = 0; i < rank->record_count && !u->is_bad; i++) {
        struct tp_rank_record *record = &rank->records[i];
        record->first_range = (uint32_t)ranges;
        for (unsigned k = 0; k < TP_RANK_METAS; k++)
            record->meta[k] = text_or_none(u, from->record_meta[i * TP_RANK_METAS + k]);
        ranges += from->record_ranges[i];
        u->is_bad |= from->record_step[i] > from->n_label || ranges > from->n_range_start_ns;
    }
    u->is_bad |= ranges != from->n_range_start_ns;
}

static void unpack_ranges(struct tp_unpack *u, struct tp_rank_summary *rank)
{
    int64_t start = 0;
    rank->range_count = (uint32_t)u->from->n_range_start_ns;
    rank->ranges = tp_arena_array(u->arena, rank->range_count, sizeof *rank->ranges);
    for (uint32_t i = 0; i < rank->range_count; i++) {
        rank->ranges[i].a = tp_unpack_delta(u->from->range_start_ns[i], &start);
        rank->ranges[i].b = tp_sat_add(start, u->from->range_length_ns[i]);
        u->is_bad |= u->from->range_length_ns[i] < 0;
    }
}

void tp_comparison_unpack(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_rank_summary *rank = tp_arena_alloc(u->arena, sizeof *rank);
    rank->worker = TP_STR("");
    rank->world_size = TP_NULL_INT; /* of the key: the code that joins ranks sets it */
    rank->label_count = (uint32_t)from->n_label;
    rank->labels = tp_arena_array(u->arena, rank->label_count, sizeof *rank->labels);
    for (uint32_t i = 0; i < rank->label_count; i++)
        rank->labels[i] = tp_unpack_text(u, from->label[i]);
    unpack_overlap(u, &rank->overlap);
    unpack_records(u, rank);
    unpack_ranges(u, rank);
    rank->device_count = from->device_count;
    rank->gpus = tp_columns_unpack(TP_LIST_GPUS, u, &rank->gpu_count);
    u->to->comparison = rank->record_count ? rank : NULL;
}
