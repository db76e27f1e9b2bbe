/* Two runs' tensors compared, in words: what came out, what diverges first, a row per tensor. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_PRECISION_DOCUMENT_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/document/block.h"

/* Makes the document in `arena` (guard set by the caller); it borrows the comparison. A terminal shows the tensors that
 * diverge, or with shows_all all; Markdown those that diverge. */
void tp_precision_document(struct tp_document *document, const struct tp_precision *precision, bool shows_all,
                           struct tp_arena *arena);

#endif
