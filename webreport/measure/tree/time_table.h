/* Writes the largest nodes of a time tree as a table, in the order of the tree. */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_TABLE_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_TABLE_H

#include "webreport/measure/tree/time_tree.h"
#include "writer/base/table.h"

enum tp_time_column {
    TP_TIME_NAME,
    TP_TIME_TIME,
    TP_TIME_SHARE,
    TP_TIME_CALLS,
    TP_TIME_FLOPS_RATE,
    TP_TIME_BYTES_RATE,
    TP_TIME_REACHED,
    TP_TIME_HEADROOM,
    TP_TIME_BOUND,
    TP_TIME_COLUMNS
};

struct tp_time_table {
    struct tp_table rows;  /* columns: enum tp_time_column */
    const uint32_t *nodes; /* for each row: index in the nodes of the tree */
    bool has_costs;        /* at least one row has a rate */
    bool has_floors;       /* at least one row shows the least time for its work */
};

/* Builds a table of the nodes with the most time in `arena`. The table has at most max_rows rows, and no row for the
 * root. If the table contains a node, it also contains the parent of the node. */
void tp_time_table_build(struct tp_time_table *table, const struct tp_time_tree *tree, size_t max_rows,
                         struct tp_arena *arena);

#endif
