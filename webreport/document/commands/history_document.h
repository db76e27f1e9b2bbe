/* Makes the document that shows the trend of a program's metrics over stored runs: a small chart for each metric,
 * and a table. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_DOCUMENT_H

#include "webreport/compare/gate/history.h"
#include "webreport/document/block.h"

enum { TP_HISTORY_RUNS = 200 }; /* number of runs in the charts; the newest runs are shown */

/* Makes the document in `arena` (guard set by the caller). runs: at least one run, in order; the document borrows them.
 * For a run of several processes, a time is the median of the processes, and any other metric is their maximum. */
void tp_history_document(struct tp_document *document, const struct tp_history_run *runs, size_t count,
                         struct tp_arena *arena);

/* Adds notes about stored runs to the document of a check, and a member "history" to its record. The runs are in order,
 * and the newest is the checked run. Does nothing without runs.
 *
 * The notes report changes of a level, with the neighboring runs and changed counts. They also report the difference
 * between the newest run and the accepted level, and a drifting speed of the machine. has_bisect: also add the
 * command that finds the commit. */
void tp_history_put_notes(struct tp_document *document, const struct tp_history_run *runs, size_t count,
                          bool has_bisect);

#endif
