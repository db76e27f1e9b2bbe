/* Makes the data of a table for the template "table". The template reads cells on demand through struct tp_data. */
#ifndef TP_WEBREPORT_DOCUMENT_TABLE_PAGE_H
#define TP_WEBREPORT_DOCUMENT_TABLE_PAGE_H

#include "webreport/document/section_table.h"

/* Chooses units, columns and their widths, computes sums, and returns the object for the template, which borrows
 * `shown`. Call this function after setting all members. */
struct tp_data tp_shown_table_data(struct tp_shown_table *shown);

#endif
