/* Stores the comparison of ranks inside a summary: see summary_comparison.h. */
#include "webreport/measure/summary/summary_comparison.h"

#include "webreport/measure/summary/summary_columns.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* ---- building ---- */

static struct tp_str copy_text(struct tp_summary_work *work, struct tp_str text)
{
    return text.ptr ? tp_summary_intern_text(work, text) : text;
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
        rank->labels[i] = copy_text(work, rank->labels[i]);
    for (size_t i = 0; i < rank->overlap.row_count; i++)
        tp_table_text(&rank->overlap, TP_OVERLAP_STEP)[i] =
            copy_text(work, tp_table_text(&rank->overlap, TP_OVERLAP_STEP)[i]);
    for (uint32_t i = 0; i < rank->record_count; i++) {
        rank->records[i].name = copy_text(work, rank->records[i].name);
        for (unsigned k = 0; k < TP_RANK_METAS; k++)
            rank->records[i].meta[k] = copy_text(work, rank->records[i].meta[k]);
    }
    for (uint32_t g = 0; g < rank->gpu_count; g++) {
        rank->gpus[g].name = copy_text(work, rank->gpus[g].name);
        rank->gpus[g].compute_capability = copy_text(work, rank->gpus[g].compute_capability);
    }
    work->out->comparison = rank;
}

/* ---- packing ---- */

static void pack_overlap(struct tp_column_writer *writer, const struct tp_table *overlap)
{
    struct tp_stored_overlap *steps = tp_arena_array(writer->arena, overlap->row_count, sizeof *steps);
    for (size_t i = 0; i < overlap->row_count; i++)
        steps[i] = (struct tp_stored_overlap){
            .step = tp_table_text(overlap, TP_OVERLAP_STEP)[i],
            .computation_ns = tp_table_int(overlap, TP_OVERLAP_COMPUTATION)[i],
            .communication_ns = tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i],
            .overlap_ns = tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i],
            .other_ns = tp_table_int(overlap, TP_OVERLAP_OTHER)[i],
        };
    tp_columns_write(&tp_list_overlap, writer, steps, overlap->row_count);
}

static void pack_ranges(struct tp_column_writer *writer, const struct tp_rank_summary *rank)
{
    struct tp_stored_range *ranges = tp_arena_array(writer->arena, rank->range_count, sizeof *ranges);
    for (uint32_t i = 0; i < rank->range_count; i++) {
        const struct tp_interval *range = &rank->ranges[i];
        ranges[i] = (struct tp_stored_range){range->a, tp_sat_sub(range->b, range->a)};
    }
    tp_columns_write(&tp_list_ranges, writer, ranges, rank->range_count);
}

void tp_comparison_pack(struct tp_column_writer *writer, const struct tp_rank_summary *rank)
{
    tp_columns_write(&tp_record_comparison, writer, rank, 1);
    tp_columns_write(&tp_list_labels, writer, rank->labels, rank->label_count);
    pack_overlap(writer, &rank->overlap);
    tp_columns_write(&tp_list_records, writer, rank->records, rank->record_count);
    pack_ranges(writer, rank);
    tp_columns_write(&tp_list_gpus, writer, rank->gpus, rank->gpu_count);
}

/* ---- unpacking ---- */

static void unpack_overlap(struct tp_column_reader *reader, struct tp_table *overlap)
{
    uint32_t count;
    const struct tp_stored_overlap *steps = tp_columns_read_scratch(&tp_list_overlap, reader, &count);
    tp_rank_overlap_init(overlap, count, reader->arena);
    for (uint32_t i = 0; i < count; i++) {
        tp_table_text(overlap, TP_OVERLAP_STEP)[i] = steps[i].step;
        tp_table_int(overlap, TP_OVERLAP_COMPUTATION)[i] = steps[i].computation_ns;
        tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i] = steps[i].communication_ns;
        tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i] = steps[i].overlap_ns;
        tp_table_int(overlap, TP_OVERLAP_OTHER)[i] = steps[i].other_ns;
    }
}

static void unpack_ranges(struct tp_column_reader *reader, struct tp_rank_summary *rank)
{
    const struct tp_stored_range *ranges = tp_columns_read_scratch(&tp_list_ranges, reader, &rank->range_count);
    rank->ranges = tp_arena_array(reader->arena, rank->range_count, sizeof *rank->ranges);
    for (uint32_t i = 0; i < rank->range_count; i++) {
        rank->ranges[i] = (struct tp_interval){ranges[i].start_ns, tp_sat_add(ranges[i].start_ns, ranges[i].length_ns)};
        reader->is_bad |= ranges[i].length_ns < 0;
    }
}

/* Fills the collective records. The caller must have filled the labels and the ranges. */
static void unpack_records(struct tp_column_reader *reader, struct tp_rank_summary *rank)
{
    uint64_t ranges = 0;
    rank->records = tp_columns_read(&tp_list_records, reader, &rank->record_count);
    for (uint32_t i = 0; i < rank->record_count && !reader->is_bad; i++) {
        struct tp_rank_record *record = &rank->records[i];
        record->first_range = (uint32_t)ranges;
        ranges += record->range_count;
        reader->is_bad |= ranges > rank->range_count;
        reader->is_bad |= record->step != TP_NO_ID && record->step >= rank->label_count;
    }
    reader->is_bad |= ranges != rank->range_count;
}

const struct tp_rank_summary *tp_comparison_unpack(struct tp_column_reader *reader)
{
    struct tp_rank_summary *rank = tp_arena_alloc(reader->arena, sizeof *rank);
    /* the world size is in the key of the summary; the code that joins ranks sets the member here */
    *rank = (struct tp_rank_summary){.worker = TP_STR(""), .world_size = TP_NULL_INT};
    tp_columns_fill(&tp_record_comparison, reader, rank, 1);
    rank->labels = tp_columns_read(&tp_list_labels, reader, &rank->label_count);
    unpack_overlap(reader, &rank->overlap);
    unpack_ranges(reader, rank);
    unpack_records(reader, rank);
    rank->gpus = tp_columns_read(&tp_list_gpus, reader, &rank->gpu_count);
    return rank->record_count ? rank : NULL;
}
