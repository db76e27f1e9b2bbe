/* Gathers texts and rows for all parts of a summary. Calls of one kind are grouped by identity. The largest groups
 * become rows, and one additional row contains the sums of the other groups. */
#include "webreport/measure/summary/summary_parts.h"

#include <stdio.h>

#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"

/* ---- texts ---- */

enum { HASH_DIGITS = 16, TEXT_ROOM = TP_MAX_SUMMARY_TEXT_BYTES - HASH_DIGITS - 1 };

struct tp_str tp_summary_intern_text(struct tp_summary_work *work, struct tp_str text)
{
    char cut[TP_MAX_SUMMARY_TEXT_BYTES + 1];
    if (text.len > TP_MAX_SUMMARY_TEXT_BYTES) {
        size_t size = tp_utf8_fitting_bytes(text.ptr, text.len, TEXT_ROOM);
        memcpy(cut, text.ptr, size);
        size += (size_t)snprintf(cut + size, sizeof cut - size, "~%016llx",
                                 (unsigned long long)tp_hash_bytes(text.ptr, text.len));
        text = (struct tp_str){cut, size};
    }
    if (text.len == 0)
        return TP_STR("");
    uint32_t id = tp_strings_add(&work->texts, text);
    if (id == work->copies.count)
        *(struct tp_str *)tp_vec_push(&work->copies) =
            (struct tp_str){tp_arena_copy(work->arena, text.ptr, text.len), text.len};
    return *TP_AT(&work->copies, struct tp_str, id);
}

/* ---- rows ---- */

enum { KEY = 4 }; /* number of texts that identify a row: name, owner, shape, dtype */

struct sample {
    int64_t ns;
    uint32_t row, step;
};

/* A row before it is stored. slot: index of the row among the kept rows; for a row that is not kept, the index of the
 * row "(rest)". */
struct group {
    int64_t sum_ns, count, bytes;
    uint32_t number, slot;
};

void tp_summary_gather_init(struct tp_summary_gather *g, struct tp_summary_work *work, enum tp_summary_kind kind)
{
    memset(g, 0, sizeof *g);
    g->work = work;
    g->kind = kind;
    g->samples = TP_VEC(work->scratch, struct sample);
    g->rows = TP_VEC(work->scratch, struct group);
    tp_strings_init(&g->texts, work->scratch, 0);
    tp_keys_init(&g->keys, work->scratch, KEY);
    tp_keys_init(&g->lines, work->scratch, 2);
    g->line_ns = TP_VEC(work->scratch, int64_t);
}

static void add_time_of_line(struct tp_summary_gather *g, uint32_t row, uint32_t line, int64_t ns)
{
    uint32_t id = tp_keys_pair(&g->lines, row, line);
    if (id == g->line_ns.count)
        *(int64_t *)tp_vec_push(&g->line_ns) = 0;
    int64_t *sum = TP_AT(&g->line_ns, int64_t, id);
    *sum = tp_sat_add(*sum, ns);
}

void tp_summary_gather_add_call(struct tp_summary_gather *g, const struct tp_summary_call *call)
{
    uint32_t row = tp_keys_add(&g->keys, (uint32_t[KEY]){call->name, call->owner, call->shape, call->dtype});
    if (row == g->rows.count)
        *(struct group *)tp_vec_push(&g->rows) = (struct group){.number = row, .bytes = TP_NULL_INT};
    struct group *group = TP_AT(&g->rows, struct group, row);
    int64_t ns = call->ns < 0 ? 0 : call->ns;
    *(struct sample *)tp_vec_push(&g->samples) = (struct sample){ns, row, call->step};
    group->sum_ns = tp_sat_add(group->sum_ns, ns);
    group->count++;
    if (call->line != TP_NO_ID)
        add_time_of_line(g, row, call->line, ns);
    if (call->bytes != TP_NULL_INT)
        group->bytes = group->bytes == TP_NULL_INT ? call->bytes : tp_sat_add(group->bytes, call->bytes);
}

/* ---- the kept rows ---- */

static int compare_by_sum(const void *x, const void *y, const void *context)
{
    const struct group *a = x, *b = y;
    (void)context;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static struct tp_str text_of_row_part(const struct tp_summary_gather *g, uint32_t number, unsigned part)
{
    uint32_t id = tp_keys_get(&g->keys, number)[part];
    if (part == 0 && g->name_text)
        return g->name_text(g, id);
    return tp_strings_get(&g->texts, id);
}

/* Chooses the rows to keep and fills their texts. If some rows are not kept, the last row is "(rest)". */
static uint32_t choose_rows_to_keep(struct tp_summary_gather *g, struct group *groups, struct tp_summary_row *rows)
{
    uint32_t kept = 0, rest = 0;
    for (size_t i = 0; i < g->rows.count; i++) {
        /* adds a row whose own name is "(rest)" to the final row "(rest)", so that each identity occurs once */
        bool stays = kept < TP_MAX_SUMMARY_ROWS - 1 || (g->rows.count <= TP_MAX_SUMMARY_ROWS && !rest);
        struct tp_str name = text_of_row_part(g, groups[i].number, 0);
        stays = stays && !tp_str_equal(name, TP_STR(TP_SUMMARY_REST));
        groups[i].slot = stays ? kept : TP_MAX_SUMMARY_ROWS;
        rest += !stays;
        if (!stays)
            continue;
        struct tp_summary_row *row = &rows[kept++];
        row->name = tp_summary_intern_text(g->work, name);
        row->owner = tp_summary_intern_text(g->work, text_of_row_part(g, groups[i].number, 1));
        row->shape = tp_summary_intern_text(g->work, text_of_row_part(g, groups[i].number, 2));
        row->dtype = tp_summary_intern_text(g->work, text_of_row_part(g, groups[i].number, 3));
        row->bytes = groups[i].bytes;
    }
    if (!rest)
        return kept;
    rows[kept].name = tp_summary_intern_text(g->work, TP_STR(TP_SUMMARY_REST));
    rows[kept].owner = rows[kept].shape = rows[kept].dtype = TP_STR("");
    rows[kept].bytes = TP_NULL_INT;
    for (size_t i = 0; i < g->rows.count; i++) {
        if (groups[i].slot != TP_MAX_SUMMARY_ROWS)
            continue;
        groups[i].slot = kept;
        if (groups[i].bytes != TP_NULL_INT)
            rows[kept].bytes = tp_sat_add(rows[kept].bytes == TP_NULL_INT ? 0 : rows[kept].bytes, groups[i].bytes);
    }
    g->work->left_out[TP_CUT_ROWS] += rest;
    return kept + 1;
}

/* Fills the line of each kept row: the line with the most time; of several, the first one. */
static void fill_lines(struct tp_summary_gather *g, const uint32_t *slot_of, struct tp_summary_row *rows)
{
    int64_t most[TP_MAX_SUMMARY_ROWS + 1];
    memset(most, 0xFF, sizeof most); /* makes every entry -1 */
    for (uint32_t i = 0; i < tp_keys_count(&g->lines); i++) {
        const uint32_t *pair = tp_keys_get(&g->lines, i);
        int64_t ns = *TP_AT(&g->line_ns, int64_t, i);
        struct tp_summary_row *row = &rows[slot_of[pair[0]]];
        if (ns <= most[slot_of[pair[0]]] || tp_str_equal(row->name, TP_STR(TP_SUMMARY_REST)))
            continue;
        most[slot_of[pair[0]]] = ns;
        row->line = tp_summary_intern_text(g->work, tp_strings_get(&g->texts, pair[1]));
    }
}

/* ---- numbers ---- */

/* Fills the sketch of each row from the durations of its calls, in the order of the calls. */
static void fill_sketches(struct tp_summary_gather *g, const uint32_t *slot_of, struct tp_summary_row *rows,
                          uint32_t count)
{
    const struct sample *samples = g->samples.data;
    size_t total = g->samples.count, *first = tp_arena_array(g->work->scratch, (size_t)count + 2, sizeof *first);
    int64_t *ns = tp_arena_array(g->work->scratch, total, sizeof *ns);
    for (size_t i = 0; i < total; i++)
        first[slot_of[samples[i].row] + 2]++;
    for (uint32_t r = 0; r < count; r++)
        first[r + 2] += first[r + 1];
    for (size_t i = 0; i < total; i++)
        ns[first[slot_of[samples[i].row] + 1]++] = samples[i].ns;
    for (uint32_t r = 0; r < count; r++)
        tp_sketch_build(&rows[r].time, ns + first[r], first[r + 1] - first[r], g->work->arena);
    tp_arena_free_item(g->work->scratch, ns, total * sizeof *ns);
}

/* Fills the time and the count per step of rows with at least 0.2 % of the kind's time. Also does so for all waits and
 * copies, because their counts matter more than their times. A summary has a limited number of cells; the largest rows
 * get cells first. */
static void fill_steps(struct tp_summary_gather *g, const uint32_t *slot_of, struct tp_summary_row *rows,
                       uint32_t count)
{
    enum { LEAST_SHARE = 500 }; /* a 500th is 0.2 % */
    const struct sample *samples = g->samples.data;
    uint32_t steps = g->work->out->step_count, room = steps ? TP_MAX_SUMMARY_CELLS / steps : 0;
    bool is_counted = g->kind == TP_SUMMARY_SYNC || g->kind == TP_SUMMARY_COPY;
    int64_t total = 0;
    for (uint32_t r = 0; r < count; r++)
        total = tp_sat_add(total, rows[r].time.sum_ns);
    for (uint32_t r = 0; r < count && room; r++) { /* rows are in the order of their sum, with "(rest)" last */
        if (!is_counted && (rows[r].time.sum_ns <= 0 || rows[r].time.sum_ns < total / LEAST_SHARE))
            continue;
        rows[r].by_step_ns = tp_arena_array(g->work->arena, steps, sizeof *rows[r].by_step_ns);
        rows[r].by_step_count = tp_arena_array(g->work->arena, steps, sizeof *rows[r].by_step_count);
        room--;
    }
    for (size_t i = 0; i < g->samples.count; i++) {
        struct tp_summary_row *row = &rows[slot_of[samples[i].row]];
        if (!row->by_step_ns || samples[i].step == TP_NO_ID)
            continue;
        int64_t *sum = &row->by_step_ns[samples[i].step];
        *sum = tp_sat_add(*sum, samples[i].ns);
        row->by_step_count[samples[i].step]++;
    }
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_summary_row *a = x, *b = y;
    (void)context;
    if (a->time.sum_ns != b->time.sum_ns)
        return a->time.sum_ns > b->time.sum_ns ? -1 : 1;
    /* reads name, owner, shape and dtype as an array, because the members are adjacent */
    const struct tp_str *p = &a->name, *q = &b->name;
    int order = 0;
    for (unsigned i = 0; i < KEY && !order; i++)
        order = tp_str_compare(p[i], q[i]);
    return order;
}

void tp_summary_gather_make_rows(struct tp_summary_gather *g, struct tp_vec *rows)
{
    struct tp_arena *scratch = g->work->scratch;
    struct group *groups = g->rows.data;
    struct tp_summary_row kept[TP_MAX_SUMMARY_ROWS + 1];
    memset(kept, 0, sizeof kept);
    tp_merge_sort(scratch, groups, g->rows.count, sizeof *groups, compare_by_sum, NULL);
    uint32_t count = choose_rows_to_keep(g, groups, kept),
             *slot_of = tp_arena_array(scratch, g->rows.count, sizeof *slot_of);
    for (size_t i = 0; i < g->rows.count; i++)
        slot_of[groups[i].number] = groups[i].slot;
    fill_lines(g, slot_of, kept);
    fill_sketches(g, slot_of, kept, count);
    fill_steps(g, slot_of, kept, count);
    tp_merge_sort(scratch, kept, count, sizeof *kept, compare_rows, NULL);
    for (uint32_t i = 0; i < count; i++) {
        kept[i].kind = g->kind;
        *(struct tp_summary_row *)tp_vec_push(rows) = kept[i];
    }
    tp_arena_free_item(scratch, slot_of, g->rows.count * sizeof *slot_of);
    tp_arena_free_item(scratch, g->samples.data, g->samples.capacity * sizeof(struct sample));
    tp_keys_release(&g->lines);
    tp_keys_release(&g->keys);
}
