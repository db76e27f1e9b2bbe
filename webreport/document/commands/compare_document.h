/* Makes the document of a comparison: the verdict, the changes, and every table. */
#ifndef TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_COMMANDS_COMPARE_DOCUMENT_H

#include "webreport/compare/two/compare.h"
#include "webreport/document/block.h"
#include "webreport/document/name_text.h"

/* Makes the document in naming->arena (guard set by the caller), which may be the arena of the comparison. The document
 * borrows the comparison and `naming`. max_rows: largest number of rows in each table, and largest number of listed
 * changes. */
void tp_compare_document(struct tp_document *document, const struct tp_compare *compare, const struct tp_naming *naming,
                         size_t max_rows);

#endif
