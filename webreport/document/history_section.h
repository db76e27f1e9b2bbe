/* The trend of a program's metrics over stored summaries, as a section of the report: a small chart and a column of a
 * table per metric. It reads without a script. */
#ifndef TP_WEBREPORT_DOCUMENT_HISTORY_SECTION_H
#define TP_WEBREPORT_DOCUMENT_HISTORY_SECTION_H

#include "webreport/compare/history.h"
#include "webreport/document/data.h"

enum { TP_HISTORY_RUNS = 200 }; /* drawn, the newest */

/* The object for the template "history", of runs in order; kind NONE without any. Of several processes a time is their
 * median, another metric their greatest. Everything lives in `arena` or is borrowed. */
struct tp_data tp_history_section(struct tp_arena *arena, const struct tp_history_run *runs, size_t count);

#endif
