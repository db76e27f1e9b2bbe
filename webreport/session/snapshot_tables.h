/* Runs `tracepress table` for memory snapshots: makes a table of live blocks for each device of each snapshot. */
#ifndef TP_WEBREPORT_SESSION_SNAPSHOT_TABLES_H
#define TP_WEBREPORT_SESSION_SNAPSHOT_TABLES_H

#include "webreport/measure/snapshot/live_rows.h"
#include "webreport/session/table_session.h"

/* Runs the session with the inputs, the output, the receiver and the row limit of `session`. Prints which inputs are
 * unusable. Returns 0, or a negative tp_status with *err. */
int tp_snapshot_tables_run(const struct tp_table_session *session, const struct tp_live_rows_options *options,
                           struct tp_error *err);

#endif
