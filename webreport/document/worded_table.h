/* A table whose cells are all texts. Used for tables with the layout of another tool, and by output formats in which
 * cells have no types. Cells are written on demand. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H
#define TP_WEBREPORT_DOCUMENT_WORDED_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "writer/base/buf.h"

struct tp_worded_column {
    const char *title; /* title of the column, without characters that an output format must escape */
    size_t width;      /* least width in text output, characters */
    bool is_left;      /* true: left-aligned; false: right-aligned */
    bool is_number;    /* true: the cells contain no characters that an output format must escape */
};

struct tp_worded_table {
    const struct tp_worded_column *columns;
    unsigned column_count;
    size_t row_count;
    size_t gap;       /* number of blanks between columns in text output */
    bool is_measured; /* true: columns in text output are as wide as their widest cell */
    bool has_rules;   /* true: text output has lines of dashes around the titles and below the rows */
    bool is_padded;   /* true: text output also has blanks after the last column */
    /* appends the text of a cell, which may contain any bytes; must not allocate from an arena */
    void (*cell)(const struct tp_worded_table *table, size_t row, unsigned column, struct tp_buf *out);
    const void *context; /* data for the function `cell` */
};

#endif
