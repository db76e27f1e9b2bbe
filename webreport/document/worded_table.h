/* A table whose cells are all texts, with its own layout: for tables as other tools print them, and for formats without
 * types. Cells are written on demand. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H
#define TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/buf.h"

struct tp_worded_column {
    const char *title; /* must not contain characters that printers escape */
    size_t width;      /* least width in the output format text, in characters */
    bool is_left;      /* true: left-aligned; false: right-aligned */
    bool is_number;    /* the cells contain no characters that printers escape */
};

struct tp_worded_table {
    const struct tp_worded_column *columns;
    unsigned column_count;
    size_t row_count;
    size_t gap;       /* number of blanks between columns in text */
    bool is_measured; /* columns in text are as wide as their widest cell */
    bool has_rules;   /* text has lines of dashes around the head and below the rows */
    bool is_padded;   /* text has blanks after the last column as well */
    /* Appends the text of a cell, which may contain any bytes. Allocates nothing from an arena. */
    void (*cell)(const struct tp_worded_table *table, size_t row, unsigned column, struct tp_buf *out);
    const void *context; /* for the function `cell` */
};

#endif
