/* Makes the page, the digest, the text and the JSON of a comparison of two memory snapshots. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DIFF_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DIFF_DOCUMENT_H

#include "webreport/compare/snapshot/snapshot_diff.h"
#include "webreport/document/block.h"

/* Makes the document. Everything borrowed by it is in `arena` or in the comparison, which must live as long. */
void tp_snapshot_diff_document(struct tp_document *document, const struct tp_snapshot_diff *diff,
                               struct tp_arena *arena);

#endif
