/* Packs and unpacks the rows of a process with their sketches and their counts per step. See rows_pack.h. */
#include "webreport/measure/summary/rows_pack.h"

#include <math.h>

#include "webreport/measure/summary/summary_columns.h"
#include "writer/base/saturate.h"

/* ---- packing ---- */

static struct tp_stored_row make_stored_row(const struct tp_summary_row *row)
{
    const struct tp_sketch *time = &row->time;
    return (struct tp_stored_row){
        .row = *row,
        .span_ns = (uint64_t)time->max_ns - (uint64_t)time->min_ns,
        .excess_ns = (uint64_t)time->sum_ns - (uint64_t)time->count * (uint64_t)time->min_ns,
        .has_steps = row->by_step_ns != NULL,
    };
}

static void pack_spans(struct tp_column_writer *writer, const struct tp_summary *s)
{
    struct tp_stored_span *spans = tp_arena_array(writer->arena, s->row_count, sizeof *spans);
    size_t count = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct tp_sketch *time = &s->rows[i].time;
        if (time->max_ns != time->min_ns)
            spans[count++] = (struct tp_stored_span){tp_sketch_deviation(time), time->buckets, time->bucket_count};
    }
    tp_columns_write(&tp_list_spans, writer, spans, count);
}

static void pack_cells(struct tp_column_writer *writer, const struct tp_summary *s)
{
    size_t rows = 0, count = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        rows += s->rows[i].by_step_ns != NULL;
    struct tp_stored_cell *cells = tp_arena_array(writer->arena, rows * s->step_count, sizeof *cells);
    for (uint32_t i = 0; i < s->row_count; i++)
        for (uint32_t k = 0; k < s->step_count && s->rows[i].by_step_ns; k++)
            cells[count++] = (struct tp_stored_cell){s->rows[i].by_step_ns[k], s->rows[i].by_step_count[k]};
    tp_columns_write(&tp_list_cells, writer, cells, count);
}

void tp_rows_pack(struct tp_column_writer *writer, const struct tp_summary *summary)
{
    struct tp_stored_row *rows = tp_arena_array(writer->arena, summary->row_count, sizeof *rows);
    for (uint32_t i = 0; i < summary->row_count; i++)
        rows[i] = make_stored_row(&summary->rows[i]);
    tp_columns_write(&tp_list_rows, writer, rows, summary->row_count);
    tp_columns_write(&tp_list_row_lines, writer, rows, summary->row_count);
    pack_spans(writer, summary);
    pack_cells(writer, summary);
}

/* ---- unpacking ---- */

/* The stored spans and cells of a process. span: index of the next unread span; cell: index of the next unread cell. */
struct rest {
    const struct tp_stored_span *spans;
    const struct tp_stored_cell *cells;
    uint32_t span_count, cell_count, span, cell;
};

static void unpack_buckets(struct tp_column_reader *reader, struct tp_sketch *time, const struct tp_stored_span *span)
{
    int64_t sum = 0;
    time->buckets = span->buckets;
    time->bucket_count = span->bucket_count;
    for (uint32_t i = 0; i < span->bucket_count; i++) {
        reader->is_bad |= span->buckets[i].count == 0;
        sum = tp_sat_add(sum, span->buckets[i].count);
    }
    uint32_t first = span->bucket_count ? span->buckets[0].bucket : 0;
    uint32_t last = span->bucket_count ? span->buckets[span->bucket_count - 1].bucket : 0;
    reader->is_bad |= sum != time->count || last != tp_sketch_bucket(time->max_ns);
    reader->is_bad |= span->bucket_count && first != tp_sketch_bucket(time->min_ns);
}

/* Makes the single bucket of a row in which all calls took the same time. */
static void make_single_bucket(struct tp_column_reader *reader, struct tp_sketch *time)
{
    time->bucket_count = time->count > 0;
    time->buckets = tp_arena_array(reader->arena, time->bucket_count, sizeof *time->buckets);
    if (time->count)
        time->buckets[0] = (struct tp_sketch_bucket){tp_sketch_bucket(time->min_ns), time->count};
}

/* Fills the sketch of durations of a row. */
static void unpack_time(struct tp_column_reader *reader, struct tp_stored_row *row, struct rest *rest)
{
    struct tp_sketch *time = &row->row.time;
    time->sum_ns = tp_column_checked_int64(reader, row->excess_ns + (uint64_t)time->count * (uint64_t)time->min_ns);
    reader->is_bad |= row->span_ns > (uint64_t)INT64_MAX - (uint64_t)time->min_ns || (row->span_ns && time->count < 2);
    reader->is_bad |= row->span_ns && rest->span == rest->span_count;
    if (reader->is_bad)
        return;
    time->max_ns = time->min_ns + (int64_t)row->span_ns;
    double n = (double)time->count, mean = n > 0 ? (double)time->sum_ns / n : 0, deviation_ns = 0;
    if (row->span_ns) {
        const struct tp_stored_span *span = &rest->spans[rest->span++];
        deviation_ns = span->deviation_ns;
        unpack_buckets(reader, time, span);
    } else {
        make_single_bucket(reader, time);
    }
    reader->is_bad |= !(deviation_ns >= 0) || isinf(deviation_ns);
    time->square_sum_ns2 = n * mean * mean + (n > 0 ? (n - 1) * deviation_ns * deviation_ns : 0);
}

/* Fills the time and the count per step of a row. */
static void unpack_cells(struct tp_column_reader *reader, struct tp_summary_row *row, uint32_t step_count,
                         struct rest *rest)
{
    reader->is_bad |= step_count > rest->cell_count - rest->cell;
    if (reader->is_bad)
        return;
    row->by_step_ns = tp_arena_array(reader->arena, step_count, sizeof *row->by_step_ns);
    row->by_step_count = tp_arena_array(reader->arena, step_count, sizeof *row->by_step_count);
    for (uint32_t i = 0; i < step_count; i++, rest->cell++) {
        row->by_step_ns[i] = rest->cells[rest->cell].sum_ns;
        row->by_step_count[i] = rest->cells[rest->cell].count;
        reader->is_bad |= row->by_step_ns[i] < 0;
    }
}

void tp_rows_unpack(struct tp_column_reader *reader, struct tp_summary *summary)
{
    struct rest rest = {.span = 0};
    uint32_t count;
    struct tp_stored_row *rows = tp_columns_read_scratch(&tp_list_rows, reader, &count);
    tp_columns_fill(&tp_list_row_lines, reader, rows, count);
    rest.spans = tp_columns_read_scratch(&tp_list_spans, reader, &rest.span_count);
    rest.cells = tp_columns_read_scratch(&tp_list_cells, reader, &rest.cell_count);
    summary->rows = tp_arena_array(reader->arena, count, sizeof *summary->rows);
    for (uint32_t i = 0; i < count && !reader->is_bad; i++) {
        unpack_time(reader, &rows[i], &rest);
        if (rows[i].has_steps)
            unpack_cells(reader, &rows[i].row, summary->step_count, &rest);
        if ((uint32_t)rows[i].row.kind < TP_SUMMARY_KIND_COUNT) /* skips kinds that only newer versions know */
            summary->rows[summary->row_count++] = rows[i].row;
    }
    reader->is_bad |= rest.span != rest.span_count || rest.cell != rest.cell_count;
}
