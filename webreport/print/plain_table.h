/* Any table as CSV, JSON, Markdown and text; names of columns are part of the interface.
 *
 * All append to `out`; a failure is sticky in it. A slice names the rows that are shown, in order. */
#ifndef TP_WEBREPORT_PRINT_PLAIN_TABLE_H
#define TP_WEBREPORT_PRINT_PLAIN_TABLE_H

#include "writer/base/table.h"

struct tp_table_slice {
    const struct tp_table *table;
    const uint32_t *order; /* rows */
    size_t count;
};

/* A quoted cell; one that a spreadsheet would take for a formula begins with an apostrophe. */
void tp_csv_text(struct tp_buf *out, struct tp_str text);

/* The line of column names; the last is "profile". */
void tp_plain_csv_head(struct tp_buf *out, const struct tp_column_def *defs, unsigned column_count);
/* profile: for the last column. Absent values are empty cells. */
void tp_plain_csv(struct tp_buf *out, const struct tp_table_slice *slice, struct tp_str profile);
/* The member "rows" of an open object. */
void tp_plain_json(struct tp_json *json, const struct tp_table_slice *slice);
void tp_plain_markdown(struct tp_buf *out, const struct tp_table_slice *slice);

#endif
