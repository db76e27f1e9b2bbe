/* Tables: typed columns with name, title, unit and definition. Every view of the report produces tables, and every
 * output prints them.
 *
 * A view describes its columns once (struct tp_column_def, static data), allocates the table in its arena and fills its
 * cells. JSON, HTML, CSV, Markdown and terminal output all read the same table, so that each number is computed in one
 * place. */
#ifndef TP_WRITER_BASE_TABLE_H
#define TP_WRITER_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/json_out.h"
#include "writer/base/str.h"

enum { TP_MAX_COLUMNS = 28 };
#define TP_NULL_INT INT64_MIN /* value of an absent integer, time or size */

enum tp_column_type {
    TP_COLUMN_TEXT,  /* cells of struct tp_str; ptr NULL is null */
    TP_COLUMN_INT,   /* cells of int64_t; TP_NULL_INT is null */
    TP_COLUMN_NS,    /* cells of int64_t, ns, written as microseconds; TP_NULL_INT is null */
    TP_COLUMN_BYTES, /* cells of int64_t, bytes; TP_NULL_INT is null */
    TP_COLUMN_REAL,  /* cells of double; NaN is null */
    TP_COLUMN_BOOL,  /* cells of uint8_t, 0 or 1 */
    TP_COLUMN_WORD,  /* cells as for TEXT, but only with a few plain words, which CSV does not quote */
    TP_COLUMN_JSON,  /* cells of struct tp_str with JSON text; ptr NULL is null */
};

struct tp_column_def {
    const char *name;       /* key in JSON and CSV that ends in the unit, such as device_self_time_us */
    const char *title;      /* heading for people, such as "GPU self" */
    const char *unit;       /* unit of the values: "us", "bytes", "%", "ratio", or "" for none */
    const char *definition; /* one sentence, shown as a tooltip */
    enum tp_column_type type;
};

struct tp_table {
    const char *name, *title;
    const struct tp_column_def *defs;
    unsigned column_count;
    size_t row_count;
    void *cells[TP_MAX_COLUMNS]; /* for each column: array of row_count cells of the column's type */
};

/* Initializes a table with zeroed cells for row_count rows. `defs` must outlive the table. */
void tp_table_init(struct tp_table *table, struct tp_arena *arena, const char *name, const struct tp_column_def *defs,
                   unsigned column_count, size_t row_count);

static inline struct tp_str *tp_table_text(const struct tp_table *table, unsigned column)
{
    return table->cells[column];
}
static inline int64_t *tp_table_int(const struct tp_table *table, unsigned column)
{
    return table->cells[column];
}
static inline double *tp_table_real(const struct tp_table *table, unsigned column)
{
    return table->cells[column];
}
static inline uint8_t *tp_table_bool(const struct tp_table *table, unsigned column)
{
    return table->cells[column];
}

/* Writes one cell as a JSON value. */
void tp_table_cell_json(const struct tp_table *table, unsigned column, size_t row, struct tp_json *json);
/* Appends one cell as plain text: texts without quotes, null as "", other values as in JSON. */
void tp_table_cell_text(const struct tp_table *table, unsigned column, size_t row, struct tp_buf *out);
/* Writes the members of one row in the order of the columns, without braces. */
void tp_table_row_json(const struct tp_table *table, size_t row, struct tp_json *json);
/* Writes the rows as an array of objects, [{..},{..}], with every column as a member. */
void tp_table_json(const struct tp_table *table, struct tp_json *json);

#endif
