/* The sync table: host calls that wait for the device, and the largest possible gain from removing each wait
 * (docs/definitions.md, section 9).
 *
 * The table contains the calls that start in the analysed steps. host_wait_us is the length of the calls. cost_us is
 * the part of the device's idle time after the call that the call causes, at most the length of the call. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H
#define TP_WEBREPORT_MEASURE_VIEWS_SYNC_TABLE_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_sync_column {
    TP_SYNC_LINE, /* innermost project line around the call; empty if there is no stack */
    TP_SYNC_OP,   /* outermost operator around the call; empty if there is no operator */
    TP_SYNC_API,
    TP_SYNC_KIND, /* "sync" for calls that only wait, "copy" for blocking copies */
    TP_SYNC_COUNT,
    TP_SYNC_HOST_WAIT,
    TP_SYNC_BUBBLE,
    TP_SYNC_COST,
    TP_SYNC_MAX_COST,
    TP_SYNC_FIRST_EVENT, /* smallest position in the file among the row's calls */
    TP_SYNC_COLUMNS
};

/* The place of a wait in the program. The texts belong to the trace. */
struct tp_wait_place {
    struct tp_str line, op, api; /* line, op, api: values of the columns TP_SYNC_LINE, TP_SYNC_OP and TP_SYNC_API */
    /* ids of the three texts: line id, label id, name id; TP_NO_ID for an empty text. Equal texts have equal ids */
    uint32_t ids[3];
};

struct tp_sync_table {
    int64_t count, host_wait_ns, bubble_ns,
        cost_ns; /* sums over the waits that start in the analysed steps; times in ns */
    /* number of waits that start outside the analysed steps; no row includes these waits */
    int64_t outside_step_count;
    struct tp_table rows; /* columns: enum tp_sync_column; rows with the highest cost first */
};

struct tp_wait_place tp_wait_place(const struct tp_model *model, const struct tp_wait *wait);

void tp_sync_table_build(struct tp_sync_table *table, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_sync_fields;

#endif
