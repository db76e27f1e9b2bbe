/* Builds a table of live blocks: see live_rows.h. */
#include "webreport/measure/snapshot/live_rows.h"

#include <string.h>

#include "writer/base/sort.h"

static const struct tp_column_def columns[TP_LIVE_COLUMN_COUNT] = {
    {"name", "Name", "", "Name of the group; empty if the property of its blocks is unknown.", TP_COLUMN_TEXT},
    {"bytes", "Size", "bytes", "Sizes of the blocks in the allocator.", TP_COLUMN_BYTES},
    {"requested_bytes", "Requested", "bytes", "Bytes that the program requested.", TP_COLUMN_BYTES},
    {"blocks", "Blocks", "", "Number of blocks.", TP_COLUMN_INT},
    {"share_pct", "Share", "%", "Share of all live bytes.", TP_COLUMN_REAL},
};

bool tp_live_rows_key_find(enum tp_live_key *key, const char *name)
{
    static const char *const names[TP_LIVE_KEYS] = {"line",   "site", "module",   "category", "size",
                                                    "stream", "pool", "metadata", "stack",    "fx_node"};
    for (unsigned i = 0; i < TP_LIVE_KEYS; i++)
        if (strcmp(names[i], name) == 0) {
            *key = (enum tp_live_key)i;
            return true;
        }
    return false;
}

bool tp_live_rows_column_find(enum tp_live_rows_column *column, const char *name)
{
    for (unsigned i = 0; i < TP_LIVE_COLUMN_SHARE; i++)
        if (strcmp(columns[i].name, name) == 0) {
            *column = (enum tp_live_rows_column)i;
            return true;
        }
    return false;
}

struct order {
    const struct tp_live_row *rows;
    enum tp_live_rows_column column;
};

/* Compares two rows by a column; equal numbers keep the order of the groups, which is by bytes, then by name. */
static int compare(const void *context, uint32_t x, uint32_t y)
{
    const struct order *order = context;
    const struct tp_live_row *a = &order->rows[x], *b = &order->rows[y];
    if (order->column == TP_LIVE_COLUMN_NAME)
        return tp_str_compare(a->name, b->name);
    uint64_t p = order->column == TP_LIVE_COLUMN_BLOCKS ? a->blocks : a->requested_bytes;
    uint64_t q = order->column == TP_LIVE_COLUMN_BLOCKS ? b->blocks : b->requested_bytes;
    return p == q ? (x > y) - (x < y) : p < q ? 1 : -1;
}

bool tp_live_rows_build(struct tp_table *rows, const struct tp_snapshot_device *device,
                        const struct tp_live_rows_options *options, struct tp_arena *arena)
{
    struct tp_live_blocks live;
    struct tp_live_table groups;
    uint64_t bytes = 0;
    if (!tp_snapshot_list_live(&live, device, options->when, arena))
        return false;
    tp_live_table_build_all(&groups, &device->context, options->key, &live);
    uint32_t *order = tp_arena_array(arena, groups.row_count, sizeof *order);
    for (uint32_t i = 0; i < groups.row_count; i++) {
        order[i] = i;
        bytes += groups.rows[i].bytes;
    }
    if (options->sort_by != TP_LIVE_COLUMN_BYTES)
        tp_sort_rows(order, groups.row_count, compare, &(struct order){groups.rows, options->sort_by}, arena);
    tp_table_init(rows, arena, "live", columns, TP_LIVE_COLUMN_COUNT, groups.row_count);
    for (size_t i = 0; i < groups.row_count; i++) {
        const struct tp_live_row *row = &groups.rows[order[i]];
        tp_table_text(rows, TP_LIVE_COLUMN_NAME)[i] = row->name;
        tp_table_int(rows, TP_LIVE_COLUMN_BYTES)[i] = (int64_t)row->bytes;
        tp_table_int(rows, TP_LIVE_COLUMN_REQUESTED)[i] = (int64_t)row->requested_bytes;
        tp_table_int(rows, TP_LIVE_COLUMN_BLOCKS)[i] = (int64_t)row->blocks;
        tp_table_real(rows, TP_LIVE_COLUMN_SHARE)[i] = 100.0 * (double)row->bytes / (double)bytes;
    }
    return true;
}
