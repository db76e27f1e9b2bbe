/* Sync table: host calls that wait for the device, and the largest gain from removing each wait (section 9).
 *
 * The table has the calls that start in W. host_wait is the length of the calls; cost is only the part in which the
 * device is idle. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H
#define TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_sync_column {
    TP_SYNC_LINE, /* innermost line of the project; "" without a stack */
    TP_SYNC_OP,   /* outermost operator around the call; "" if there is none */
    TP_SYNC_API,
    TP_SYNC_KIND, /* "sync" or "copy" */
    TP_SYNC_COUNT,
    TP_SYNC_HOST_WAIT,
    TP_SYNC_BUBBLE,
    TP_SYNC_COST,
    TP_SYNC_MAX_COST,
    TP_SYNC_FIRST_EVENT, /* smallest ordinal of the calls */
    TP_SYNC_COLUMNS
};

/* The place of a wait. Its texts belong to the trace. */
struct tp_wait_place {
    struct tp_str line, op, api; /* as in the columns of the table */
    uint32_t ids[3]; /* ids of the three texts: line, label and name; equal texts have equal ids, "" has TP_NO_ID */
};

struct tp_sync_table {
    int64_t count, host_wait_ns, bubble_ns, cost_ns; /* sums over the calls in W */
    int64_t outside_step_count; /* number of waits that start outside of W; no row and no sum counts them */
    struct tp_table rows;       /* enum tp_sync_column; most expensive first */
};

struct tp_wait_place tp_wait_place(const struct tp_model *model, const struct tp_wait *wait);

void tp_sync_build(struct tp_sync_table *table, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_sync_fields;

#endif
