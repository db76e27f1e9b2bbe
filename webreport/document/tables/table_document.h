/* Makes the document of a profile's table: torch's own table, byte for byte, or the tables of pstats and
 * profile_analyze, and the same rows for Markdown, CSV and JSON. */
#ifndef TP_WEBREPORT_DOCUMENT_TABLES_TABLE_DOCUMENT_H
#define TP_WEBREPORT_DOCUMENT_TABLES_TABLE_DOCUMENT_H

#include "webreport/document/tables/table_parts.h"

/* Makes the document of one profile in `arena` (guard set by the caller); it borrows the other arguments. places:
 * outputs to fill, bits of TP_IN_TEXT, TP_IN_MARKDOWN, TP_IN_CSV and TP_IN_RECORD. */
void tp_table_document(struct tp_document *document, const struct tp_profile_table *table,
                       const struct tp_table_style *style, unsigned places, struct tp_arena *arena);

#endif
