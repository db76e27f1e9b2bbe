/* Sync table: host calls that wait for the device, and the largest gain from removing the wait (section 9).
 *
 * The table covers calls that begin in W. host_wait is the length of the calls; cost is only the part that left the
 * device idle. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H
#define TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_sync_column {
    TP_SYNC_LINE, /* innermost project line, or "" without a stack */
    TP_SYNC_OP,   /* outermost operator around the call, or "" */
    TP_SYNC_API,
    TP_SYNC_KIND, /* "sync" or "copy" */
    TP_SYNC_COUNT,
    TP_SYNC_HOST_WAIT,
    TP_SYNC_BUBBLE,
    TP_SYNC_COST,
    TP_SYNC_MAX_COST,
    TP_SYNC_FIRST_EVENT, /* lowest ordinal */
    TP_SYNC_COLUMNS
};

/* Place of a wait. Texts belong to the trace. */
struct tp_wait_place {
    struct tp_str line, op, api; /* as in the columns */
    uint32_t ids[3];             /* line id, label id and name id, equal for equal texts; TP_NO_ID for "" */
};

struct tp_sync_table {
    int64_t count, host_wait_ns, bubble_ns, cost_ns; /* sums over the calls in W */
    int64_t outside_step_count;                      /* waits that begin outside W, which are in no row and no sum */
    struct tp_table rows;                            /* enum tp_sync_column; most expensive first */
};

struct tp_wait_place tp_wait_place(const struct tp_model *model, const struct tp_wait *wait);

void tp_sync_build(struct tp_sync_table *table, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_sync_fields;

#endif
