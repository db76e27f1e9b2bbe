/* Makes the outputs of a run from its traces: event files, report and summaries. `record` makes them after the
 * program has exited; `recover` makes them if `record` was killed. */
#ifndef TP_WEBREPORT_CLI_RUN_OUTPUTS_H
#define TP_WEBREPORT_CLI_RUN_OUTPUTS_H

#include "collector/launch/run_folder.h"
#include "collector/launch/takeover.h"
#include "webreport/session/console.h"

/* Makes the outputs in note->wishes from all traces in the folder, and prints their paths. Then finishes the run:
 * completes run.json, and removes the empty folder of raw records. In a job, only the rank that finishes last makes the
 * outputs, from the traces of all ranks. is_whole: all raw records became traces; if false, the run stays unprocessed.
 * Returns false if an output failed; then the failure was printed and the run stays unprocessed. */
bool tp_run_outputs_make_requested(struct tp_console *console, const struct tp_run_folder *run,
                                   struct tp_run_note *note, bool is_whole);

/* Shows a progress line on a terminal while raw records are turned into traces. */
void tp_run_show_progress(struct tp_console *console, const struct tp_takeover_progress *progress);

#endif
