/* Implements time_table.h: writes a tree of time as rows of a table. */
#include "webreport/measure/tree/time_table.h"

#include <math.h>

#include "webreport/model/numbers.h"
#include "writer/base/ratio.h"

enum {
    NS_FLOPS = 1000,
    FINEST = 400
}; /* FINEST: a shown row has at least 1 / FINEST of the time of the analysed steps */

static const struct tp_column_def defs[TP_TIME_COLUMNS] = {
    {"name", "Time", "",
     "Part of the step time. An indented row is a part of the nearest row above it with less indentation.",
     TP_COLUMN_TEXT},
    {"time_us", "Time", "us",
     "Time within the analysed steps. Overlapping work counts once, so the parts of a row add up to the time of the "
     "row.",
     TP_COLUMN_NS},
    {"share_percent", "Share", "%", "Time of this row as a share of the step time.", TP_COLUMN_REAL},
    {"calls", "Calls", "", "Number of device operations that begin in the analysed steps.", TP_COLUMN_INT},
    {"tflops", "Rate", "TFLOP/s",
     "Floating-point operations of the calls with known shapes, divided by the time of their kernels.", TP_COLUMN_REAL},
    {"gb_per_s", "Memory", "GB/s",
     "Least number of bytes that the calls with known shapes read and write, divided by the time of their kernels.",
     TP_COLUMN_REAL},
    {"reached_percent", "Reached", "%",
     "Shortest possible time of this work at the peak rates of the device, as a share of the kernel time.",
     TP_COLUMN_REAL},
    {"headroom_us", "Above shortest", "us",
     "Kernel time above the shortest possible time at the peak rates. A good kernel reaches 60 to 75 % of a peak rate.",
     TP_COLUMN_NS},
    {"bound", "Bound by", "",
     "Limit that determines the shortest time: compute, memory, or the latency of short kernels.", TP_COLUMN_TEXT}};

static bool is_node_shown(const struct tp_time_node *node, int64_t least)
{
    return node->time_ns >= least && node->time_ns > 0;
}

static size_t count_rows(const struct tp_time_tree *tree, int64_t least)
{
    size_t count = 0;
    for (uint32_t i = 1; i < tree->node_count; i++)
        count += is_node_shown(&tree->nodes[i], least);
    return count;
}

static void fill_row(struct tp_time_table *out, size_t row, const struct tp_time_tree *tree, uint32_t index)
{
    const struct tp_time_node *node = &tree->nodes[index];
    const char *bound = tp_bound_text(node->bound);
    struct tp_table *table = &out->rows;
    tp_table_text(table, TP_TIME_NAME)[row] = node->text;
    tp_table_int(table, TP_TIME_TIME)[row] = node->time_ns;
    tp_table_real(table, TP_TIME_SHARE)[row] = tp_percent(node->time_ns, tree->nodes[0].time_ns);
    tp_table_int(table, TP_TIME_CALLS)[row] = node->calls ? node->calls : TP_NULL_INT;
    tp_table_real(table, TP_TIME_FLOPS_RATE)[row] =
        node->flops && node->costed_ns ? tp_ratio(node->flops, (__int128)node->costed_ns * NS_FLOPS) : NAN;
    tp_table_real(table, TP_TIME_BYTES_RATE)[row] =
        node->bytes && node->costed_ns ? tp_ratio(node->bytes, node->costed_ns) : NAN;
    tp_table_real(table, TP_TIME_REACHED)[row] =
        node->floored_ns ? 100 * node->floor_ns / (double)node->floored_ns : NAN;
    tp_table_int(table, TP_TIME_HEADROOM)[row] =
        node->floored_ns ? (int64_t)((double)node->floored_ns - node->floor_ns) : TP_NULL_INT;
    tp_table_text(table, TP_TIME_BOUND)[row] = tp_str_of(bound ? bound : "");
    out->has_costs |= node->costed_ns > 0;
    out->has_floors |= node->floored_ns > 0;
}

void tp_time_table_build(struct tp_time_table *out, const struct tp_time_tree *tree, size_t max_rows,
                         struct tp_arena *arena)
{
    int64_t least = tree->nodes[0].time_ns / FINEST;
    size_t count;
    while ((count = count_rows(tree, least)) > max_rows)
        least += least / 4 + 1;
    uint32_t *nodes = tp_arena_array(arena, count, sizeof *nodes);
    *out = (struct tp_time_table){.nodes = nodes};
    tp_table_init(&out->rows, arena, "time", defs, TP_TIME_COLUMNS, count);
    out->rows.title = "Where the time goes";
    count = 0;
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (is_node_shown(&tree->nodes[i], least)) {
            nodes[count] = i;
            fill_row(out, count++, tree, i);
        }
}
