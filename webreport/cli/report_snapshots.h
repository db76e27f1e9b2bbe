/* Runs `tracepress report` for memory snapshots and for a memory timeline. */
#ifndef TP_WEBREPORT_CLI_REPORT_SNAPSHOTS_H
#define TP_WEBREPORT_CLI_REPORT_SNAPSHOTS_H

#include "webreport/print/report_outputs.h"
#include "webreport/session/report_session.h"

/* Reads and analyses the inputs of a session, which are all memory snapshots, and writes the outputs. Returns an exit
 * code. */
int tp_report_snapshots(const struct tp_report_session *session, const struct tp_outputs_options *outputs);

/* Does the same for an input that is a memory timeline. */
int tp_report_timeline(const struct tp_report_session *session, const struct tp_outputs_options *outputs);

#endif
