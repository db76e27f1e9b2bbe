/* Makes the page, the digest and the JSON of a memory timeline of torch.profiler. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_TIMELINE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_TIMELINE_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/snapshot/timeline_fields.h"

/* Makes the document. file: last part of the path. redact: hides paths. */
void tp_timeline_document(struct tp_document *document, const struct tp_memory_timeline *timeline, struct tp_str file,
                          bool redact, struct tp_arena *arena);

#endif
