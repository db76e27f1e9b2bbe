/* A table of the live blocks of a memory snapshot at one moment, grouped by one property, for `tracepress table`. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_LIVE_ROWS_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_LIVE_ROWS_H

#include "webreport/measure/snapshot/snapshot_result.h"
#include "writer/base/table.h"

enum tp_live_rows_column {
    TP_LIVE_COLUMN_NAME,
    TP_LIVE_COLUMN_BYTES,
    TP_LIVE_COLUMN_REQUESTED,
    TP_LIVE_COLUMN_BLOCKS,
    TP_LIVE_COLUMN_SHARE,
    TP_LIVE_COLUMN_COUNT
};

struct tp_live_rows_options {
    enum tp_live_key key;
    enum tp_snapshot_when when;
    enum tp_live_rows_column sort_by; /* numbers: largest first; names: in alphabetical order */
};

/* Finds the property with this name, such as "line". Returns false if none exists. */
bool tp_live_rows_key_find(enum tp_live_key *key, const char *name);
/* Finds the column with this name, such as "bytes". Returns false if none exists. */
bool tp_live_rows_column_find(enum tp_live_rows_column *column, const char *name);

/* Builds the table with all groups. Returns false if the device lacks this moment. Allocates from `arena`, whose guard
 * the caller sets. */
bool tp_live_rows_build(struct tp_table *rows, const struct tp_snapshot_device *device,
                        const struct tp_live_rows_options *options, struct tp_arena *arena);

#endif
