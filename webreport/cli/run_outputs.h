/* What is made of the traces of a run beside them: event files, the report, summaries. `record` makes it when the
 * program is over, `recover` where `record` was killed before. */
#ifndef TP_WEBREPORT_CLI_RUN_OUTPUTS_H
#define TP_WEBREPORT_CLI_RUN_OUTPUTS_H

#include "collector/launch/run_folder.h"
#include "collector/launch/takeover.h"
#include "webreport/session/console.h"

/* Makes what note->wishes names of all traces in the folder, says so, and ends the work on this call's records:
 * run.json becomes complete, the empty folder of raw records goes. Of a rank, only the last of the job makes it, of the
 * traces of all. is_whole: all raw records became traces; else the run stays unprocessed. False: an output failed,
 * which has been explained; the run stays unprocessed, too. */
bool tp_run_outputs_make(struct tp_console *console, const struct tp_run_folder *run, struct tp_run_note *note,
                         bool is_whole);

/* The line on a terminal while raw records become traces. */
void tp_run_show_progress(struct tp_console *console, const struct tp_takeover_progress *progress);

#endif
