/* Lays out a table for pages: which columns a page shows, in which order, how wide, and on which widths of the page.
 *
 * A table never scrolls sideways. Each column gets a level: narrow pages hide columns of a higher level, so that the
 * remaining columns fit. Columns in which all rows have the same value become a text. */
#ifndef TP_WEBREPORT_DOCUMENT_TABLE_LAYOUT_H
#define TP_WEBREPORT_DOCUMENT_TABLE_LAYOUT_H

#include "webreport/document/section_table.h"

/* Fills page_columns, page_widths, page_levels and same_values. Needs the sums, units and rows of the table. */
void tp_table_layout_fill(struct tp_shown_table *shown);

#endif
