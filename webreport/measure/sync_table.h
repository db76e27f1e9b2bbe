/* Sync table: host calls that wait for the device, and what removing the wait could gain at most (advice-definitions
 * D6).
 *
 * host_wait is how long the calls took; cost is only the part after which the device really ran dry. */
#ifndef TP_WEBREPORT_MEASURE_SYNC_TABLE_H
#define TP_WEBREPORT_MEASURE_SYNC_TABLE_H

#include "writer/base/table.h"

struct tp_host;

enum tp_sync_column {
    TP_SYNC_LINE, /* innermost project line, "" when no stack was recorded */
    TP_SYNC_OP,   /* outermost operator around the call, "" when none */
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

/* One call, for whoever looks at single ones. */
struct tp_sync_call {
    int64_t start_ns, cost_ns; /* start: absolute */
    uint32_t row;              /* in rows */
};

struct tp_sync_table {
    int64_t count, host_wait_ns, bubble_ns, cost_ns; /* over all calls */
    struct tp_table rows;                            /* enum tp_sync_column; most expensive first */
    struct tp_sync_call *calls;                      /* `count`, in the order of the host's calls */
};

void tp_sync_build(struct tp_sync_table *table, struct tp_host *host, struct tp_arena *arena);

/* Writes the table as a JSON object. */
void tp_sync_json(const struct tp_sync_table *table, struct tp_json *json);

#endif
