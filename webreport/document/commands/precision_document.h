/* Makes the document of a comparison of two runs' tensors: the verdict, the first divergent tensor, and a row for
 * each tensor. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/document/block.h"

/* Makes the document of a comparison in `arena`, whose guard the caller has set. The document borrows the comparison.
 * Markdown and terminals list only divergent tensors; with shows_all, terminals list all tensors. */
void tp_precision_document(struct tp_document *document, const struct tp_precision *precision, bool shows_all,
                           struct tp_arena *arena);

#endif
