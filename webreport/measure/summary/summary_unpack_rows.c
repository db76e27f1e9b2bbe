/* Unpacks the rows of a process: sketches and numbers per step. See summary_unpack.h. */
#include <math.h>

#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_unpack.h"
#include "writer/base/saturate.h"
#include "writer/proto/summary.pb-c.h"

/* Positions in the columns of parts that only some rows have. */
struct cursor {
    size_t span, bucket, by_step;
};

static void unpack_buckets(struct tp_unpack *u, struct tp_sketch *time, struct cursor *at)
{
    const Tp__SummaryProcess *from = u->from;
    uint32_t count = from->row_buckets[at->span], bucket = 0;
    int64_t sum = 0;
    u->is_bad |= count > from->n_bucket - at->bucket || count > TP_SKETCH_BUCKETS;
    if (u->is_bad)
        return;
    time->buckets = tp_arena_array(u->arena, count, sizeof *time->buckets);
    time->bucket_count = count;
    for (uint32_t i = 0; i < count; i++, at->bucket++) {
        uint32_t step = from->bucket[at->bucket];
        u->is_bad |= (i && step == 0) || step >= TP_SKETCH_BUCKETS || bucket + step >= TP_SKETCH_BUCKETS;
        if (u->is_bad)
            return;
        bucket += step;
        time->buckets[i] = (struct tp_sketch_bucket){bucket, tp_unpack_count(u, from->bucket_count[at->bucket])};
        u->is_bad |= time->buckets[i].count == 0;
        sum = tp_sat_add(sum, time->buckets[i].count);
    }
    u->is_bad |= sum != time->count || bucket != tp_sketch_bucket(time->max_ns);
    u->is_bad |= count && time->buckets[0].bucket != tp_sketch_bucket(time->min_ns);
}

/* Sets the only bucket of a row whose calls all took the same time. */
static void one_bucket(struct tp_unpack *u, struct tp_sketch *time)
{
    time->bucket_count = time->count > 0;
    time->buckets = tp_arena_array(u->arena, time->bucket_count, sizeof *time->buckets);
    if (time->count)
        time->buckets[0] = (struct tp_sketch_bucket){tp_sketch_bucket(time->min_ns), time->count};
}

static void unpack_time(struct tp_unpack *u, struct tp_sketch *time, uint32_t row, struct cursor *at)
{
    const Tp__SummaryProcess *from = u->from;
    uint64_t count = from->row_count[row], least = from->row_min_ns[row], span = from->row_span_ns[row];
    time->sum_ns = tp_unpack_count(u, from->row_excess_ns[row] + count * least);
    u->is_bad |= span > (uint64_t)INT64_MAX - (uint64_t)time->min_ns || (span && count < 2);
    if (u->is_bad)
        return;
    time->max_ns = time->min_ns + (int64_t)span;
    double n = (double)time->count, mean = n > 0 ? (double)time->sum_ns / n : 0, deviation = 0;
    if (span) {
        u->is_bad |= at->span >= from->n_row_buckets;
        if (u->is_bad)
            return;
        deviation = from->row_deviation[at->span];
        unpack_buckets(u, time, at);
        at->span++;
    } else {
        one_bucket(u, time);
    }
    u->is_bad |= !(deviation >= 0) || isinf(deviation);
    time->square_sum = n * mean * mean + (n > 0 ? (n - 1) * deviation * deviation : 0);
}

static void unpack_by_step(struct tp_unpack *u, struct tp_summary_row *row, struct cursor *at)
{
    const Tp__SummaryProcess *from = u->from;
    uint32_t steps = u->to->step_count;
    u->is_bad |= steps > from->n_by_step_ns - at->by_step;
    if (u->is_bad)
        return;
    row->by_step_ns = tp_arena_array(u->arena, steps, sizeof *row->by_step_ns);
    row->by_step_count = tp_arena_array(u->arena, steps, sizeof *row->by_step_count);
    for (uint32_t i = 0; i < steps; i++, at->by_step++) {
        row->by_step_ns[i] = from->by_step_ns[at->by_step];
        u->is_bad |= row->by_step_ns[i] < 0;
        row->by_step_count[i] = tp_unpack_count(u, from->by_step_count[at->by_step]);
    }
}

void tp_unpack_rows(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_summary *s = u->to;
    struct cursor at = {0, 0, 0};
    uint32_t count;
    s->rows = tp_columns_unpack(TP_LIST_ROWS, u, &count);
    for (uint32_t i = 0; i < count && !u->is_bad; i++) {
        struct tp_summary_row row = s->rows[i];
        unpack_time(u, &row.time, i, &at);
        if (from->row_has_steps[i])
            unpack_by_step(u, &row, &at);
        if ((uint32_t)row.kind < TP_SUMMARY_KIND_COUNT) /* other kinds are from a newer version */
            s->rows[s->row_count++] = row;
    }
    u->is_bad |= at.span != from->n_row_buckets || at.bucket != from->n_bucket || at.by_step != from->n_by_step_ns;
}
