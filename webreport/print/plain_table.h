/* Any table as CSV, JSON and Markdown, names of columns are part of the interface; tables of calls as text.
 *
 * All append to `out`; a failure is sticky in it. A slice names the rows that are shown, in order. */
#ifndef TP_WEBREPORT_PRINT_PLAIN_TABLE_H
#define TP_WEBREPORT_PRINT_PLAIN_TABLE_H

#include "webreport/measure/operator_calls.h"
#include "webreport/measure/python_calls.h"
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

/* What pstats.Stats(..).sort_stats(key).print_stats(row_limit) prints of them, without the line of the file. row_limit:
 * negative for all. */
void tp_calls_text(struct tp_buf *out, const struct tp_calls *calls, const uint32_t *order, const char *key,
                   int64_t row_limit);
/* A summary and the table of operators for a terminal. */
void tp_operator_calls_text(struct tp_buf *out, const struct tp_operator_calls *calls);

#endif
