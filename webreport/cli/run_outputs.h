/* Makes the outputs of a run from its traces: event files, the report, summaries. `record` makes them after the program
 * ended, `recover` if `record` was killed before. */
#ifndef TP_WEBREPORT_CLI_RUN_OUTPUTS_H
#define TP_WEBREPORT_CLI_RUN_OUTPUTS_H

#include "collector/launch/run_folder.h"
#include "collector/launch/takeover.h"
#include "webreport/session/console.h"

/* Makes the outputs in note->wishes from all traces in the folder, prints their paths, and ends the work on this call's
 * records: run.json becomes complete, the empty folder of raw records is removed. In a job only the last rank makes the
 * outputs, from the traces of all ranks. is_whole: all raw records became traces; else the run stays unprocessed.
 * Returns false when an output failed, which has been printed; then the run also stays unprocessed. */
bool tp_run_outputs_make(struct tp_console *console, const struct tp_run_folder *run, struct tp_run_note *note,
                         bool is_whole);

/* Shows the progress line on a terminal while raw records become traces. */
void tp_run_show_progress(struct tp_console *console, const struct tp_takeover_progress *progress);

#endif
