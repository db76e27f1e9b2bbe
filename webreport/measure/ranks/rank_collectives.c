/* Builds the table of one rank's collectives by name, and the unions of their ranges. Implements a part of
 * rank_parts.h. */
#include "webreport/measure/ranks/rank_parts.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def op_defs[TP_COMM_OP_COLUMNS] = {
    {"name", "Collective", "", "Name of the collective.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls of the collective.", TP_COLUMN_INT},
    {"total_size_bytes", "Size", "bytes", "Size of the messages, summed over all calls.", TP_COLUMN_BYTES},
    {"total_latency_us", "Latency", "us", "Time in which a call of the collective, or a kernel of the call, ran.",
     TP_COLUMN_NS},
    {"data_transfer_us", "Transfer", "us",
     "Time after all ranks arrived: for each call, the shortest time of any rank in the call.", TP_COLUMN_NS},
    {"kernel_count", "Kernels", "", "Number of kernels that the calls launched.", TP_COLUMN_INT},
    {"kernel_time_us", "Kernel time", "us", "Sum of the durations of the calls' kernels.", TP_COLUMN_NS},
    {"dtype", "Type", "", "Element type of the tensors, if it is the same for all calls.", TP_COLUMN_TEXT},
    {"group_size", "Group size", "", "Number of ranks in the process group, if it is the same for all calls.",
     TP_COLUMN_TEXT},
    {"process_group", "Group", "", "Name of the process group, if it is the same for all calls.", TP_COLUMN_TEXT},
    {"process_group_description", "Group description", "",
     "Description of the process group, if it is the same for all calls.", TP_COLUMN_TEXT},
};

void tp_range_groups_build(struct tp_range_groups *groups, const struct tp_rank_summary *rank, const uint32_t *key,
                           uint32_t key_count, const int64_t *shortest, struct tp_arena *arena)
{
    /* for each key: index of the key's group + 1; 0: no group yet */
    uint32_t *group_of_key = tp_arena_array(arena, key_count, sizeof *group_of_key);
    memset(groups, 0, sizeof *groups);
    groups->key = tp_arena_array(arena, key_count, sizeof *groups->key);
    groups->group_of = tp_arena_array(arena, rank->record_count, sizeof *groups->group_of);
    for (uint32_t i = 0; i < rank->record_count; i++) {
        if (!group_of_key[key[i]]) {
            groups->key[groups->count++] = key[i];
            group_of_key[key[i]] = groups->count;
        }
        groups->group_of[i] = group_of_key[key[i]] - 1;
    }
    groups->full_ns = tp_arena_array(arena, groups->count, sizeof *groups->full_ns);
    groups->transfer_ns = tp_arena_array(arena, groups->count, sizeof *groups->transfer_ns);
    uint32_t *first = tp_arena_array(arena, (size_t)groups->count + 2, sizeof *first);
    struct tp_interval *full = tp_arena_array(arena, rank->range_count, sizeof *full);
    struct tp_interval *part = tp_arena_array(arena, rank->range_count, sizeof *part);
    for (uint32_t i = 0; i < rank->record_count; i++)
        first[groups->group_of[i] + 2] += rank->records[i].range_count;
    for (uint32_t g = 0; g < groups->count; g++)
        first[g + 2] += first[g + 1];
    for (uint32_t i = 0; i < rank->record_count; i++)
        for (uint32_t k = 0; k < rank->records[i].range_count; k++) {
            uint32_t j = rank->records[i].first_range + k, at = first[groups->group_of[i] + 1]++;
            full[at] = part[at] = rank->ranges[j];
            if (shortest)
                part[at].a = tp_sat_sub(part[at].b, shortest[j]);
        }
    for (uint32_t g = 0; g < groups->count; g++) {
        size_t count = first[g + 1] - first[g];
        groups->full_ns[g] = tp_intervals_length(tp_intervals_union(arena, full + first[g], count));
        if (shortest)
            groups->transfer_ns[g] = tp_intervals_length(tp_intervals_union(arena, part + first[g], count));
    }
}

/* ---- table ---- */

struct op_row {
    struct tp_str name, meta[TP_RANK_METAS];
    bool is_mixed[TP_RANK_METAS];
    int64_t calls, bytes, latency, transfer, kernel_count, kernel_time;
};

/* Merges the metadata of a call into a row. A value that differs between the calls of a row becomes "mixed". */
static void merge_meta(struct op_row *row, const struct tp_str *meta)
{
    for (unsigned k = 0; k < TP_RANK_METAS; k++) {
        if (!meta[k].ptr)
            continue;
        if (row->meta[k].ptr && !tp_str_equal(row->meta[k], meta[k]))
            row->is_mixed[k] = true;
        row->meta[k] = meta[k];
    }
}

/* Orders rows by latency (descending), then by name. */
static int compare_rows(const void *context, uint32_t i, uint32_t j)
{
    const struct op_row *x = (const struct op_row *)context + i, *y = (const struct op_row *)context + j;
    if (x->latency != y->latency)
        return x->latency > y->latency ? -1 : 1;
    return tp_str_compare(x->name, y->name);
}

static void fill_row(struct tp_table *table, size_t row, const struct op_row *from, bool has_transfer)
{
    tp_table_text(table, TP_COMM_OP_NAME)[row] = from->name;
    tp_table_int(table, TP_COMM_OP_CALLS)[row] = from->calls;
    tp_table_int(table, TP_COMM_OP_BYTES)[row] = from->bytes;
    tp_table_int(table, TP_COMM_OP_LATENCY)[row] = from->latency;
    tp_table_int(table, TP_COMM_OP_TRANSFER)[row] = has_transfer ? from->transfer : TP_NULL_INT;
    tp_table_int(table, TP_COMM_OP_KERNELS)[row] = from->kernel_count;
    tp_table_int(table, TP_COMM_OP_KERNEL_TIME)[row] = from->kernel_time;
    for (unsigned k = 0; k < TP_RANK_METAS; k++)
        if (!from->is_mixed[k])
            tp_table_text(table, TP_COMM_OP_DTYPE + k)[row] = from->meta[k];
}

void tp_rank_ops_build(struct tp_table *table, const struct tp_rank_summary *rank, const int64_t *shortest,
                       struct tp_arena *arena)
{
    struct tp_strings names;
    struct tp_range_groups groups;
    uint32_t *key = tp_arena_array(arena, rank->record_count, sizeof *key);
    tp_strings_init(&names, arena, 0);
    for (uint32_t i = 0; i < rank->record_count; i++)
        key[i] = tp_strings_add(&names, rank->records[i].name);
    tp_range_groups_build(&groups, rank, key, names.count, shortest, arena);
    struct op_row *rows = tp_arena_array(arena, groups.count, sizeof *rows);
    uint32_t *sorted = tp_arena_array(arena, groups.count, sizeof *sorted);
    for (uint32_t i = 0; i < rank->record_count; i++) {
        const struct tp_rank_record *record = &rank->records[i];
        struct op_row *row = &rows[groups.group_of[i]];
        row->name = record->name;
        row->calls++;
        row->bytes = tp_sat_add(row->bytes, record->bytes);
        row->kernel_count += record->kernel_count;
        row->kernel_time = tp_sat_add(row->kernel_time, record->kernel_time_ns);
        merge_meta(row, record->meta);
    }
    for (uint32_t g = 0; g < groups.count; g++) {
        rows[g].latency = groups.full_ns[g];
        rows[g].transfer = groups.transfer_ns[g];
        sorted[g] = g;
    }
    tp_sort_rows(sorted, groups.count, compare_rows, rows, arena);
    tp_table_init(table, arena, "communication_ops", op_defs, TP_COMM_OP_COLUMNS, groups.count);
    table->title = "Collectives";
    for (uint32_t g = 0; g < groups.count; g++)
        fill_row(table, g, &rows[sorted[g]], shortest != NULL);
}
