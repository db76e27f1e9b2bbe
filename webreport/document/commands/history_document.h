/* The trend of a program's metrics over stored summaries: a small chart and a column of a table per metric. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_HISTORY_DOCUMENT_H

#include "webreport/compare/gate/history.h"
#include "webreport/document/block.h"

enum { TP_HISTORY_RUNS = 200 }; /* drawn, the newest */

/* Makes the document of runs in order, at least one, in `arena` (guard set by the caller); it borrows them. Of several
 * processes a time is their median, another metric their greatest. */
void tp_history_document(struct tp_document *document, const struct tp_history_run *runs, size_t count,
                         struct tp_arena *arena);

/* What a check says of the stored runs in order, the newest the one that is checked: where a level changed, between
 * which labels, and which counts with it; how far the newest is from the accepted level; that a machine wanders. Adds
 * notes and a member "history" to the document; nothing without runs. has_bisect: also how to find the commit. */
void tp_history_told(struct tp_document *document, const struct tp_history_run *runs, size_t count, bool has_bisect);

#endif
