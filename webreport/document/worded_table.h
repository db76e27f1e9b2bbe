/* A table every cell of which is worded, in a layout of its own: what other tools print, and tables for readers without
 * types. Cells are worded only when a printer asks. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H
#define TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/buf.h"

struct tp_worded_column {
    const char *title; /* nothing in it needs to be escaped */
    size_t width;      /* of text, in characters, at least */
    bool is_left;      /* else to the right */
    bool is_number;    /* its cells need not be escaped */
};

struct tp_worded_table {
    const struct tp_worded_column *columns;
    unsigned column_count;
    size_t row_count;
    size_t gap;       /* blanks between columns of text */
    bool is_measured; /* columns of text are as wide as their widest cell */
    bool has_rules;   /* text has lines of dashes above and below the head, and below the rows */
    bool is_padded;   /* text has the blanks behind the last column, too */
    /* Appends the text of a cell, any bytes; takes no memory of an arena. */
    void (*cell)(const struct tp_worded_table *table, size_t row, unsigned column, struct tp_buf *out);
    const void *context; /* of cell */
};

#endif
