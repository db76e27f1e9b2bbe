/* A summary for scripts, and for whoever wants to see what is in a `.tps` file. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_SUMMARY_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_SUMMARY_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/summary/summary.h"

/* Makes a document in `arena` (guard set by the caller) whose record has all of the summary, which it borrows; times
 * are nanoseconds, absent numbers null. It has no blocks: nobody reads it. */
void tp_summary_document(struct tp_document *document, const struct tp_summary *summary, struct tp_arena *arena);

#endif
