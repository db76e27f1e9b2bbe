/* Cells of CSV as RFC 4180 has them, for spreadsheets and pandas. */
#ifndef TP_WRITER_TEXT_CSV_CELL_H
#define TP_WRITER_TEXT_CSV_CELL_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

/* Appends a quoted cell. What a spreadsheet would take for a formula, at its beginning and behind tabs and line feeds,
 * begins with an apostrophe; nothing else is changed. */
void tp_csv_text(struct tp_buf *out, struct tp_str text);

#endif
