/* The document of a comparison of two runs' tensors: the verdict, the first tensor that diverges, and a row per
 * tensor. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/document/block.h"

/* Makes the document in `arena` (guard set by the caller); it borrows the comparison. Markdown and terminals show the
 * tensors that diverge; terminals show all tensors if shows_all is set. */
void tp_precision_document(struct tp_document *document, const struct tp_precision *precision, bool shows_all,
                           struct tp_arena *arena);

#endif
