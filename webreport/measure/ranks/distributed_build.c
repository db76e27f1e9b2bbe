/* Implements distributed.h: compares the ranks of one span and writes the comparison as JSON. rank_facts.c makes the
 * summaries, rank_collectives.c the tables of collectives. */
#include "webreport/measure/ranks/distributed.h"

#include <stdio.h>

#include "webreport/measure/ranks/rank_parts.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/json/value.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"

/* Returns whether all ranks have equally many records, and equally many ranges in each record. */
static bool are_comparable(const struct tp_distributed *view)
{
    const struct tp_rank_summary *first = view->ranks[0];
    if (view->rank_count < 2)
        return false; /* with a single rank, the waiting time in a call is unknown */
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

/* Returns the number of ranks in the job or in the largest group of a collective, whichever is larger. Returns
 * TP_NULL_INT if both numbers are unknown. */
static int64_t find_largest_group_size(const struct tp_distributed *view)
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

/* For each range, finds the time in which it transfers data, ns. This is the length of the shortest corresponding range
 * on any rank (docs/definitions.md, section 12; section 17, D10). Comparable ranks have their ranges in the same
 * order. */
static int64_t *find_transfer_times(const struct tp_distributed *view, struct tp_arena *arena)
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

/* ---- matrices ---- */

/* labels of the rows in order of first appearance; row 0 is "all" */
struct labels {
    struct tp_strings texts;
    struct tp_vec rows; /* elements: struct tp_str */
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

static void init_step_matrix(struct tp_step_matrix *matrix, const struct labels *labels, uint32_t rank_count,
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

static int64_t *use_matrix_cell(const struct tp_step_matrix *matrix, uint32_t rank_count, uint32_t step, uint32_t w)
{
    size_t cell = (size_t)step * rank_count + w;
    matrix->has_cell[cell] = true;
    return matrix->part_ns + cell * matrix->part_count;
}

/* Fills the matrix of overlap and its means. The parts of a cell are only computation, both, only communication, and
 * other time. */
static void build_overlap_matrix(struct tp_distributed *view, struct tp_arena *arena)
{
    struct labels labels;
    init_labels(&labels, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        for (size_t i = 0; i < view->ranks[w]->overlap.row_count; i++)
            add_label(&labels, tp_table_text(&view->ranks[w]->overlap, TP_OVERLAP_STEP)[i]);
    init_step_matrix(&view->overlap, &labels, view->rank_count, TP_OVERLAP_PARTS, arena);
    for (uint32_t w = 0; w < view->rank_count; w++) {
        const struct tp_table *table = &view->ranks[w]->overlap;
        int64_t sums[TP_OVERLAP_PARTS] = {0};
        for (size_t i = 0; i < table->row_count; i++) {
            int64_t both = tp_table_int(table, TP_OVERLAP_OVERLAP)[i];
            int64_t parts[TP_OVERLAP_PARTS] = {tp_table_int(table, TP_OVERLAP_COMPUTATION)[i] - both, both,
                                               tp_table_int(table, TP_OVERLAP_COMMUNICATION)[i] - both,
                                               tp_table_int(table, TP_OVERLAP_OTHER)[i]};
            uint32_t row = tp_strings_find(&labels.texts, tp_table_text(table, TP_OVERLAP_STEP)[i]);
            memcpy(use_matrix_cell(&view->overlap, view->rank_count, row, w), parts, sizeof parts);
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

/* Fills the transfer time and the waiting time of rank `w` in each step. */
static void build_wait_of_rank(struct tp_distributed *view, const struct labels *labels, uint32_t w,
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
        int64_t *parts = use_matrix_cell(&view->wait, view->rank_count, row, w);
        parts[0] = groups.transfer_ns[g];
        parts[1] = tp_sat_sub(groups.full_ns[g], groups.transfer_ns[g]);
        sums[0] = tp_sat_add(sums[0], parts[0]);
        sums[1] = tp_sat_add(sums[1], parts[1]);
    }
    for (unsigned p = 0; p < TP_WAIT_PARTS; p++)
        view->wait.mean_us[w * TP_WAIT_PARTS + p] = tp_mean_us(sums[p], groups.count);
}

static void build_wait_matrix(struct tp_distributed *view, const int64_t *shortest, struct tp_arena *arena)
{
    struct labels labels;
    init_labels(&labels, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        for (uint32_t i = 0; i < view->ranks[w]->record_count; i++)
            add_label(&labels, label_text(view->ranks[w], view->ranks[w]->records[i].step));
    init_step_matrix(&view->wait, &labels, view->rank_count, TP_WAIT_PARTS, arena);
    for (uint32_t w = 0; w < view->rank_count; w++)
        build_wait_of_rank(view, &labels, w, shortest, arena);
}

/* ---- building ---- */

void tp_distributed_build(struct tp_distributed *view, int64_t span, const struct tp_rank_summary *ranks,
                          uint32_t count, struct tp_arena *arena)
{
    memset(view, 0, sizeof *view);
    view->has_span = span != TP_NULL_INT;
    view->span = span;
    view->ranks = tp_arena_array(arena, count, sizeof(void *));
    view->workers_without_communication = tp_arena_array(arena, count, sizeof *view->workers_without_communication);
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i].record_count)
            view->ranks[view->rank_count++] = &ranks[i];
        else
            view->workers_without_communication[view->without_communication_count++] = ranks[i].worker;
    }
    view->is_present = view->rank_count > 0;
    tp_rank_siblings_build(view, arena);
    if (!view->is_present)
        return;
    view->is_comparable = are_comparable(view);
    int64_t largest = find_largest_group_size(view);
    view->is_size_known = largest != TP_NULL_INT;
    view->is_partial = view->is_comparable && largest > (int64_t)view->rank_count;
    int64_t *shortest = view->is_comparable ? find_transfer_times(view, arena) : NULL;
    build_overlap_matrix(view, arena);
    if (view->is_comparable)
        build_wait_matrix(view, shortest, arena);
    view->ops = tp_arena_array(arena, view->rank_count, sizeof *view->ops);
    for (uint32_t w = 0; w < view->rank_count; w++)
        tp_rank_ops_build(&view->ops[w], view->ranks[w], shortest, arena);
}

/* ---- fields ---- */

static bool next_name(const char *const *names, unsigned count, size_t *cursor, struct tp_item *item)
{
    if (*cursor >= count)
        return false;
    item->value = tp_json_value_text(names[(*cursor)++]);
    return true;
}

static bool next_overlap_column(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    static const char *const names[] = {"computation", "overlapping", "communication", "other"};
    (void)record;
    return next_name(names, TP_OVERLAP_PARTS, cursor, item);
}

static bool next_wait_column(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    static const char *const names[] = {"data_transfer", "synchronizing"};
    (void)record;
    return next_name(names, TP_WAIT_PARTS, cursor, item);
}

/* Writes the parts of one cell. record->at: matrix; record->index: index of the cell. Cells of row 0 contain means. */
static bool next_cell_part(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_step_matrix *matrix = record->at;
    const struct tp_distributed *view = record->owner;
    if (*cursor >= matrix->part_count)
        return false;
    size_t part = record->index * matrix->part_count + (*cursor)++;
    item->value = record->index < view->rank_count ? tp_json_value_real(matrix->mean_us[part])
                                                   : tp_json_value_us(matrix->part_ns[part]);
    return true;
}

/* Writes the cells of all workers for one step. record->index: index of the step. */
static bool next_worker_cell(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_step_matrix *matrix = record->at;
    const struct tp_distributed *view = record->owner;
    if (*cursor >= view->rank_count)
        return false;
    size_t worker = (*cursor)++, cell = record->index * view->rank_count + worker;
    item->key = view->ranks[worker]->worker;
    item->value =
        matrix->has_cell[cell]
            ? tp_json_value_list(next_cell_part, (struct tp_record){.at = matrix, .owner = view, .index = cell})
            : tp_json_value_absent();
    return true;
}

static bool next_step(const struct tp_step_matrix *matrix, const struct tp_distributed *view, size_t *cursor,
                      struct tp_item *item)
{
    if (*cursor >= matrix->step_count)
        return false;
    size_t step = (*cursor)++;
    item->key = matrix->steps[step];
    item->value = tp_json_value_map(next_worker_cell, (struct tp_record){.at = matrix, .owner = view, .index = step});
    return true;
}

static bool next_overlap_step(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    return next_step(&view->overlap, view, cursor, item);
}

static bool next_wait_step(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    return next_step(&view->wait, view, cursor, item);
}

static bool next_worker(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    if (*cursor >= view->rank_count)
        return false;
    item->value = tp_json_value_str(view->ranks[(*cursor)++]->worker);
    return true;
}

static bool next_operations(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    if (*cursor >= view->rank_count)
        return false;
    item->key = view->ranks[*cursor]->worker;
    item->value = tp_json_value_table(&view->ops[(*cursor)++]);
    return true;
}

static struct tp_json_value wait_lower_bound_value(const struct tp_record *record)
{
    const struct tp_distributed *view = record->at;
    return view->is_comparable && view->is_size_known ? tp_json_value_bool(view->is_partial) : tp_json_value_null();
}

#define F struct tp_distributed
static const struct tp_json_field fields[] = {
    {"span", TP_PLAIN(F, span), TP_NULL_UNLESS(F, has_span),
     TP_DEFINITION("position of the recording among the recordings of a rank in order of time, counted from 1")},
    {"workers", TP_LIST(next_worker, NULL), TP_DEFINITION("ranks with communication")},
    {"workers_without_communication", TP_ARRAY(F, workers_without_communication, without_communication_count),
     TP_DEFINITION("ranks without communication")},
    {"comparable", TP_PLAIN(F, is_comparable),
     TP_DEFINITION("true if several ranks have collectives that match one to one")},
    {"wait_is_least", TP_COMPUTED(TP_AS_BOOL, wait_lower_bound_value),
     TP_DEFINITION("true if the run lacks traces of some ranks, so that the waits in wait_by_step_and_worker are lower "
                   "bounds; null: unknown")},
    {"device_information", TP_COMPUTED(TP_AS_MAP, tp_rank_devices), TP_DEFINITION("devices by node and process")},
    {"overlap_columns_us", TP_LIST(next_overlap_column, NULL),
     TP_DEFINITION("names of the times in each list of overlap_by_step_and_worker")},
    {"overlap_by_step_and_worker", TP_MAP(next_overlap_step, NULL),
     TP_DEFINITION(
         "time in computation and communication for each step and rank; the entry 'all' has the means over the steps")},
    {"wait_columns_us", TP_LIST(next_wait_column, NULL),
     TP_DEFINITION("names of the times in each list of wait_by_step_and_worker")},
    {"wait_by_step_and_worker", TP_MAP(next_wait_step, NULL), TP_NULL_UNLESS(F, is_comparable),
     TP_DEFINITION("time in transfers and in waiting for other ranks, for each step and rank; the entry 'all' has the "
                   "means over the steps")},
    {"communication_ops_by_worker", TP_MAP(next_operations, NULL),
     TP_DEFINITION("table of the collectives by name, for each rank")},
};
#undef F

const struct tp_fields tp_distributed_fields = TP_FIELDS("Ranks of a run", fields);
