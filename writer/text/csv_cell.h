/* Writes cells of CSV (RFC 4180), for spreadsheets and pandas. */
#ifndef TP_WRITER_TEXT_CSV_CELL_H
#define TP_WRITER_TEXT_CSV_CELL_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends a cell in quotes. A part that a spreadsheet would treat as a formula gets an apostrophe, at the beginning of
 * the text and after tabs and line feeds. Other bytes are not changed. */
void tp_csv_put_text(struct tp_buf *out, struct tp_str text);

#endif
