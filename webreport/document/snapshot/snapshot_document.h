/* Makes the page, the digest and the JSON of memory snapshots. */
#ifndef TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_SNAPSHOT_SNAPSHOT_DOCUMENT_H

#include "webreport/document/block.h"
#include "webreport/measure/snapshot/trace_join.h"

/* The snapshots of a document. */
struct tp_snapshots_shown {
    const struct tp_snapshot_result *results; /* sorted by rank */
    size_t count;
    const struct tp_vec *failed; /* snapshots that could not be used; elements: struct tp_snapshot_failure */
    bool redact;                 /* hides paths */
};

/* Makes the document of snapshots. The page of one snapshot has a part for each device, and its JSON is the document
 * tracepress.memory_snapshot/1. The page of several inputs begins with a table of the ranks, and its JSON
 * (tracepress.memory_snapshots/1) has these rows and the documents of all snapshots. */
void tp_snapshots_document(struct tp_document *document, const struct tp_snapshots_shown *shown,
                           struct tp_arena *arena);

/* Makes the document of one device of a snapshot, for a page that also has the trace of the same run. index: of the
 * device. A snapshot that could not be used has one document, which names the reason. */
void tp_joined_snapshot_document(struct tp_document *document, const struct tp_joined_snapshot *joined, uint64_t index,
                                 bool redact, struct tp_arena *arena);

/* Writes the members of a joined snapshot as a JSON object. */
void tp_joined_snapshot_json(const struct tp_joined_snapshot *joined, struct tp_arena *arena, struct tp_json *json);

#endif
