/* Ranks of one span beside each other: step matrices and JSON. See distributed.h; rank_facts.c makes the summaries,
 * rank_collectives.c the tables of collectives. */
#include "webreport/measure/ranks/distributed.h"

#include <stdio.h>

#include "webreport/measure/ranks/rank_parts.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/value.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"

/* Same number of records, and of ranges per record, everywhere. */
static bool are_comparable(const struct tp_distributed *view)
{
    const struct tp_rank_summary *first = view->ranks[0];
    if (view->rank_count < 2)
        return false; /* what of a call is waiting shows only beside the other ranks */
    for (uint32_t w = 1; w < view->rank_count; w++) {
        const struct tp_rank_summary *rank = view->ranks[w];
        if (rank->record_count != first->record_count)
            return false;
        for (uint32_t i = 0; i < rank->record_count; i++)
            if (rank->records[i].range_count != first->records[i].range_count)
                return false;
    }
    return true;
}

/* Returns the largest number of ranks that the job, or a group of a collective, has; TP_NULL_INT if none is known. */
static int64_t largest_group(const struct tp_distributed *view)
{
    int64_t most = TP_NULL_INT;
    for (uint32_t w = 0; w < view->rank_count; w++) {
        const struct tp_rank_summary *rank = view->ranks[w];
        most = tp_ns_max(most, rank->world_size);
        for (uint32_t i = 0; i < rank->record_count; i++) {
            struct tp_str size = rank->records[i].meta[TP_RANK_GROUP_SIZE];
            most = tp_ns_max(most, size.ptr ? tp_value_int(size) : TP_NULL_INT);
        }
    }
    return most;
}

/* What each range really transfers (D10): its last m nanoseconds, m being the shortest length of that range over the
 * ranks. Comparable ranks have their ranges in the same places. */
static int64_t *find_transfers(const struct tp_distributed *view, struct tp_arena *arena)
{
    const struct tp_rank_summary *first = view->ranks[0];
    int64_t *shortest = tp_arena_array(arena, first->range_count, sizeof *shortest);
    for (uint32_t j = 0; j < first->range_count; j++) {
        shortest[j] = tp_sat_sub(first->ranges[j].b, first->ranges[j].a);
        for (uint32_t w = 1; w < view->rank_count; w++) {
            int64_t length = tp_sat_sub(view->ranks[w]->ranges[j].b, view->ranks[w]->ranges[j].a);
            shortest[j] = length < shortest[j] ? length : shortest[j];
        }
    }
    return shortest;
}

/* ---- matrices -----------------------------------------------------------------------------------------------------
 */

/* Row labels in order of first appearance; [0] is all. label_row[w][i]: row of label i of rank w. */
struct labels {
    struct tp_strings texts;
    struct tp_vec rows; /* struct tp_str */
};

static void init_labels(struct labels *labels, struct tp_arena *arena)
{
    tp_strings_init(&labels->texts, arena, 0);
    labels->rows = TP_VEC(arena, struct tp_str);
    tp_strings_add(&labels->texts, TP_STR("all"));
    *(struct tp_str *)tp_vec_push(&labels->rows) = TP_STR("all");
}

static uint32_t add_label(struct labels *labels, struct tp_str text)
{
    uint32_t row = tp_strings_add(&labels->texts, text);
    if (row == labels->rows.count)
        *(struct tp_str *)tp_vec_push(&labels->rows) = text;
    return row;
}

static void init_matrix(struct tp_step_matrix *matrix, const struct labels *labels, uint32_t rank_count,
                        uint32_t part_count, struct tp_arena *arena)
{
    matrix->steps = labels->rows.data;
    matrix->step_count = (uint32_t)labels->rows.count;
    matrix->part_count = part_count;
    size_t cells = (size_t)matrix->step_count * rank_count;
    matrix->has_cell = tp_arena_array(arena, cells, sizeof *matrix->has_cell);
    matrix->part_ns = tp_arena_array(arena, cells, part_count * sizeof *matrix->part_ns);
    matrix->mean_us = tp_arena_array(arena, rank_count, part_count * sizeof *matrix->mean_us);
    for (uint32_t w = 0; w < rank_count; w++)
        matrix->has_cell[w] = true;
}

static int64_t *cell_of(const struct tp_step_matrix *matrix, uint32_t rank_count, uint32_t step, uint32_t w)
{
    size_t cell = (size_t)step * rank_count + w;
    matrix->has_cell[cell] = true;
    return matrix->part_ns + cell * matrix->part_count;
}

/* Computation alone, overlapping, communication alone, other: per step, and their means. */
static void build_overlap(struct tp_distributed *view, struct tp_arena *arena)
{
    struct labels labels;
    init_labels(&labels, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        for (size_t i = 0; i < view->ranks[w]->overlap.row_count; i++)
            add_label(&labels, tp_table_text(&view->ranks[w]->overlap, TP_OVERLAP_STEP)[i]);
    init_matrix(&view->overlap, &labels, view->rank_count, TP_OVERLAP_PARTS, arena);
    for (uint32_t w = 0; w < view->rank_count; w++) {
        const struct tp_table *table = &view->ranks[w]->overlap;
        int64_t sums[TP_OVERLAP_PARTS] = {0};
        for (size_t i = 0; i < table->row_count; i++) {
            int64_t both = tp_table_int(table, TP_OVERLAP_OVERLAP)[i];
            int64_t parts[TP_OVERLAP_PARTS] = {tp_table_int(table, TP_OVERLAP_COMPUTATION)[i] - both, both,
                                               tp_table_int(table, TP_OVERLAP_COMMUNICATION)[i] - both,
                                               tp_table_int(table, TP_OVERLAP_OTHER)[i]};
            uint32_t row = tp_strings_find(&labels.texts, tp_table_text(table, TP_OVERLAP_STEP)[i]);
            memcpy(cell_of(&view->overlap, view->rank_count, row, w), parts, sizeof parts);
            for (unsigned p = 0; p < TP_OVERLAP_PARTS; p++)
                sums[p] = tp_sat_add(sums[p], parts[p]);
        }
        for (unsigned p = 0; p < TP_OVERLAP_PARTS; p++)
            view->overlap.mean_us[w * TP_OVERLAP_PARTS + p] = tp_mean_us(sums[p], table->row_count);
    }
}

static struct tp_str label_text(const struct tp_rank_summary *rank, uint32_t label)
{
    return label == TP_NO_ID ? TP_STR("null") : rank->labels[label];
}

/* Transfer and waiting of one rank by step label. */
static void build_rank_wait(struct tp_distributed *view, const struct labels *labels, uint32_t w,
                            const int64_t *shortest, struct tp_arena *arena)
{
    const struct tp_rank_summary *rank = view->ranks[w];
    struct tp_range_groups groups;
    uint32_t *key = tp_arena_array(arena, rank->record_count, sizeof *key);
    int64_t sums[TP_WAIT_PARTS] = {0};
    for (uint32_t i = 0; i < rank->record_count; i++)
        key[i] = rank->records[i].step == TP_NO_ID ? rank->label_count : rank->records[i].step;
    tp_range_groups_build(&groups, rank, key, rank->label_count + 1, shortest, arena);
    for (uint32_t g = 0; g < groups.count; g++) {
        uint32_t label = groups.key[g] == rank->label_count ? TP_NO_ID : groups.key[g];
        uint32_t row = tp_strings_find(&labels->texts, label_text(rank, label));
        int64_t *parts = cell_of(&view->wait, view->rank_count, row, w);
        parts[0] = groups.transfer_ns[g];
        parts[1] = tp_sat_sub(groups.full_ns[g], groups.transfer_ns[g]);
        sums[0] = tp_sat_add(sums[0], parts[0]);
        sums[1] = tp_sat_add(sums[1], parts[1]);
    }
    for (unsigned p = 0; p < TP_WAIT_PARTS; p++)
        view->wait.mean_us[w * TP_WAIT_PARTS + p] = tp_mean_us(sums[p], groups.count);
}

static void build_wait(struct tp_distributed *view, const int64_t *shortest, struct tp_arena *arena)
{
    struct labels labels;
    init_labels(&labels, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        for (uint32_t i = 0; i < view->ranks[w]->record_count; i++)
            add_label(&labels, label_text(view->ranks[w], view->ranks[w]->records[i].step));
    init_matrix(&view->wait, &labels, view->rank_count, TP_WAIT_PARTS, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        build_rank_wait(view, &labels, w, shortest, arena);
}

/* ---- building -----------------------------------------------------------------------------------------------------
 */

void tp_distributed_build(struct tp_distributed *view, int64_t span, const struct tp_rank_summary *ranks,
                          uint32_t count, struct tp_arena *arena)
{
    memset(view, 0, sizeof *view);
    view->has_span = span != TP_NULL_INT;
    view->span = span;
    view->ranks = tp_arena_array(arena, count, sizeof(void *));
    view->silent_workers = tp_arena_array(arena, count, sizeof *view->silent_workers);
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i].record_count)
            view->ranks[view->rank_count++] = &ranks[i];
        else
            view->silent_workers[view->silent_count++] = ranks[i].worker;
    }
    view->is_present = view->rank_count > 0;
    tp_rank_kin_build(view, arena);
    if (!view->is_present)
        return;
    view->is_comparable = are_comparable(view);
    int64_t largest = largest_group(view);
    view->is_size_known = largest != TP_NULL_INT;
    view->is_partial = view->is_comparable && largest > (int64_t)view->rank_count;
    int64_t *shortest = view->is_comparable ? find_transfers(view, arena) : NULL;
    build_overlap(view, arena);
    if (view->is_comparable)
        build_wait(view, shortest, arena);
    view->ops = tp_arena_array(arena, view->rank_count, sizeof *view->ops);
    for (uint32_t w = 0; w < view->rank_count; w++)
        tp_rank_ops_build(&view->ops[w], view->ranks[w], shortest, arena);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

static void write_names(struct tp_json *json, const char *key, const char *const *names, unsigned count)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (unsigned i = 0; i < count; i++)
        tp_json_text(json, names[i]);
    tp_json_array_end(json);
}

static void write_matrix(const struct tp_distributed *view, const struct tp_step_matrix *matrix, struct tp_json *json)
{
    tp_json_object(json);
    for (uint32_t step = 0; step < matrix->step_count; step++) {
        tp_json_key_str(json, matrix->steps[step]);
        tp_json_object(json);
        for (uint32_t w = 0; w < view->rank_count; w++) {
            size_t cell = (size_t)step * view->rank_count + w;
            if (!matrix->has_cell[cell])
                continue;
            tp_json_key_str(json, view->ranks[w]->worker);
            tp_json_array(json);
            for (uint32_t p = 0; p < matrix->part_count; p++)
                if (step == 0)
                    tp_json_real(json, matrix->mean_us[w * matrix->part_count + p]);
                else
                    tp_json_us(json, matrix->part_ns[cell * matrix->part_count + p]);
            tp_json_array_end(json);
        }
        tp_json_object_end(json);
    }
    tp_json_object_end(json);
}

void tp_distributed_json(const struct tp_distributed *view, struct tp_json *json)
{
    static const char *const overlap_columns[] = {"computation", "overlapping", "communication", "other"};
    static const char *const wait_columns[] = {"data_transfer", "synchronizing"};
    tp_json_object(json);
    tp_json_key(json, "span");
    if (view->has_span)
        tp_json_int(json, view->span);
    else
        tp_json_null(json);
    tp_json_key(json, "workers");
    tp_json_array(json);
    for (uint32_t w = 0; w < view->rank_count; w++)
        tp_json_str(json, view->ranks[w]->worker);
    tp_json_array_end(json);
    tp_json_key(json, "workers_without_communication");
    tp_json_array(json);
    for (uint32_t w = 0; w < view->silent_count; w++)
        tp_json_str(json, view->silent_workers[w]);
    tp_json_array_end(json);
    tp_json_member_bool(json, "comparable", view->is_comparable);
    if (view->is_comparable && view->is_size_known)
        tp_json_member_bool(json, "wait_is_least", view->is_partial);
    else {
        tp_json_key(json, "wait_is_least");
        tp_json_null(json);
    }
    tp_rank_devices_json(view, json);
    write_names(json, "overlap_columns_us", overlap_columns, TP_OVERLAP_PARTS);
    tp_json_key(json, "overlap_by_step_and_worker");
    write_matrix(view, &view->overlap, json);
    write_names(json, "wait_columns_us", wait_columns, TP_WAIT_PARTS);
    tp_json_key(json, "wait_by_step_and_worker");
    if (view->is_comparable)
        write_matrix(view, &view->wait, json);
    else
        tp_json_null(json);
    tp_json_key(json, "communication_ops_by_worker");
    tp_json_object(json);
    for (uint32_t w = 0; w < view->rank_count; w++) {
        tp_json_key_str(json, view->ranks[w]->worker);
        tp_table_json(&view->ops[w], json);
    }
    tp_json_object_end(json);
    tp_json_object_end(json);
}
