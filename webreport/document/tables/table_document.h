/* Makes the document of one table of a profile. Text output equals torch's own table, byte for byte, or resembles the
 * tables of pstats and profile_analyze. Markdown, CSV and JSON have the same rows. */
#ifndef TP_WEBREPORT_DOCUMENT_TABLES_TABLE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_TABLES_TABLE_DOCUMENT_H

#include "webreport/document/tables/table_parts.h"

/* Makes the document in `arena`, whose guard the caller has set. The document borrows the other arguments. places:
 * outputs to fill, as bits TP_IN_TEXT, TP_IN_MARKDOWN, TP_IN_CSV and TP_IN_RECORD. */
void tp_table_document(struct tp_document *document, const struct tp_profile_table *table,
                       const struct tp_table_style *style, unsigned places, struct tp_arena *arena);

#endif
