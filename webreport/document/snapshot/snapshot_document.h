/* Makes the page, the digest and the JSON of memory snapshots. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/snapshot/snapshot_result.h"

/* Makes the document of one snapshot. */
void tp_snapshot_document(struct tp_document *document, struct tp_snapshot_result *result, struct tp_arena *arena);

/* Makes the document of several snapshots, with a row for each file and the pages of all snapshots. */
void tp_snapshots_document(struct tp_document *document, struct tp_snapshot_result *results, size_t count,
                           struct tp_arena *arena);

#endif
