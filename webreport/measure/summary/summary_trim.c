/* Reduces the number of rows of a summary: adds small rows to the row "(rest)" of their kind. See summary_trim.h. */
#include "webreport/measure/summary/summary_trim.h"

#include "writer/base/saturate.h"

static int64_t *sum_of_arrays(const int64_t *a, const int64_t *b, uint32_t count, struct tp_arena *arena)
{
    int64_t *sum = tp_arena_array(arena, count, sizeof *sum);
    for (uint32_t i = 0; i < count; i++)
        sum[i] = tp_sat_add(a ? a[i] : 0, b ? b[i] : 0);
    return sum;
}

static void add_row_to_rest(struct tp_summary_row *rest, const struct tp_summary_row *row, uint32_t steps,
                            struct tp_arena *arena)
{
    if (row->bytes != TP_NULL_INT)
        rest->bytes = tp_sat_add(rest->bytes == TP_NULL_INT ? 0 : rest->bytes, row->bytes);
    if (rest->by_step_ns && row->by_step_ns) {
        rest->by_step_ns = sum_of_arrays(rest->by_step_ns, row->by_step_ns, steps, arena);
        rest->by_step_count = sum_of_arrays(rest->by_step_count, row->by_step_count, steps, arena);
    } else { /* the times and counts per step of at least one row are unknown */
        rest->by_step_ns = rest->by_step_count = NULL;
    }
    tp_sketch_merge(&rest->time, &row->time, arena);
}

/* Keeps the largest rows of one kind. `rows` is sorted, largest first; a row "(rest)" may already be at any position.
 * Returns the number of kept rows. */
static uint32_t trim_rows_of_kind(const struct tp_summary_row *rows, uint32_t count, uint32_t most, uint32_t steps,
                                  struct tp_summary_row *kept, struct tp_arena *arena)
{
    uint32_t used = 0;
    struct tp_summary_row rest = {.name = TP_STR(TP_SUMMARY_REST), .bytes = TP_NULL_INT};
    bool has_rest = false;
    rest.owner = rest.shape = rest.dtype = TP_STR("");
    if (count <= most) {
        memcpy(kept, rows, count * sizeof *kept);
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (used < most - 1 && !tp_str_equal(rows[i].name, TP_STR(TP_SUMMARY_REST))) {
            kept[used++] = rows[i];
            continue;
        }
        if (has_rest) {
            add_row_to_rest(&rest, &rows[i], steps, arena);
            continue;
        }
        rest = rows[i];
        rest.name = TP_STR(TP_SUMMARY_REST);
        rest.owner = rest.shape = rest.dtype = TP_STR("");
        rest.line = (struct tp_str){NULL, 0};
        has_rest = true;
    }
    kept[used++] = rest;
    return used;
}

void tp_summary_trim(struct tp_summary *summary, uint32_t most, struct tp_arena *arena)
{
    const struct tp_summary_row *rows = summary->rows;
    struct tp_summary_row *kept = tp_arena_array(arena, summary->row_count, sizeof *kept);
    uint32_t used = 0;
    for (uint32_t first = 0, end; first < summary->row_count; first = end) {
        for (end = first; end < summary->row_count && rows[end].kind == rows[first].kind;)
            end++;
        used += trim_rows_of_kind(rows + first, end - first, most, summary->step_count, kept + used, arena);
    }
    summary->generated_count = summary->generated_count < most ? summary->generated_count : most;
    summary->rows = kept;
    summary->row_count = used;
}
