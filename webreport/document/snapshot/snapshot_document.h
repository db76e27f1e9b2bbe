/* Makes the page, the digest and the JSON of memory snapshots. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/snapshot/snapshot_result.h"

/* Makes the document of snapshots, with a page for each device of each snapshot. The JSON of one snapshot is its
 * document (tracepress.memory_snapshot/1); that of several is a list of such documents. redact: hides paths. */
void tp_snapshots_document(struct tp_document *document, struct tp_snapshot_result *results, size_t count, bool redact,
                           struct tp_arena *arena);

#endif
