/* Defines the tables of a memory snapshot: blocks, events, segments, stacks, curve, steps and findings. Each row has
 * the number of its device. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_SNAPSHOT_ROWS_H
#define TP_WEBREPORT_EXPORT_ROWS_SNAPSHOT_ROWS_H

#include "webreport/export/rows/rows_table.h"
#include "webreport/measure/snapshot/snapshot_result.h"

/* Blocks of one device: first the blocks of the replay, then the blocks of the recorded end that the replay lacks. */
struct tp_snapshot_rows_device {
    uint32_t *end_of_block; /* for each block of the replay: index of the same block at the end; TP_NO_ID if none */
    uint32_t *lacking;      /* indexes of the blocks at the end that the replay lacks */
    uint32_t lacking_count;
};

struct tp_snapshot_rows {
    const struct tp_snapshot_result *result;
    struct tp_snapshot_rows_device *devices; /* one for each device of the result */
    uint32_t *depths;                        /* number of frames of each stack */
};

/* Prepares the data for all tables in `arena`, whose guard the caller sets. The result must outlive the rows. */
void tp_snapshot_rows_build(struct tp_rows *rows, const struct tp_snapshot_result *result, struct tp_arena *arena);

/* all tables of a snapshot; the last entry has the name NULL */
extern const struct tp_rows_table tp_snapshot_rows_tables[];

#endif
