/* Makes the JSON record with the content of a `.tps` file, for scripts and for inspection. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_SUMMARY_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_SUMMARY_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/summary/summary.h"

/* Makes a document in `arena`, whose guard the caller has set. Its record contains the whole summary, which is
 * borrowed. Times are in ns; absent numbers are null. The document has no blocks, because only scripts read it. */
void tp_summary_document(struct tp_document *document, const struct tp_summary *summary, struct tp_arena *arena);

#endif
