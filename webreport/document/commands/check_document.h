/* Makes the document of `tracepress check`: a verdict, and the list of limits, broken limits first. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_CHECK_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_CHECK_DOCUMENT_H

#include "webreport/compare/gate/gate.h"
#include "webreport/document/block.h"

/* Makes the document in `arena` (guard set by the caller). The document borrows texts of the check. */
void tp_check_document(struct tp_document *document, const struct tp_check *check, struct tp_arena *arena);

/* Makes the list of all metrics that a budget can limit, in `arena` (guard set by the caller). */
void tp_metric_list_document(struct tp_document *document, struct tp_arena *arena);

#endif
