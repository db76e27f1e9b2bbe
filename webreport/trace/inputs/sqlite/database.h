/* Reads tables of an SQLite database that anybody may have written: it runs no code of the file and writes nothing.
 *
 * SQLite opens the database and lists its tables and columns. The rows of ordinary tables are read by table_pages.h,
 * and all others by the statement "SELECT columns FROM table", both in the order of the file. Views, virtual tables,
 * triggers and generated columns are treated as absent. Each row costs a bounded number of page reads, also in a
 * damaged file. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_DATABASE_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/inputs/sqlite/database_row.h"
#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_database;

/* The columns of one table that a reader needs. A column that the table lacks has no value in any row. */
struct tp_database_shape {
    const char *table;
    const char *const *names; /* names of all columns that the reader knows, indexed by column */
    uint64_t columns;         /* the columns to read: bit 1 << c for column c */
};

/* Opens the database at `path` for reading. The list of tables is in `arena`, whose guard must be set; a jump through
 * this guard leaves the database open, so the caller closes it afterwards in every case. Returns 0, TP_EIO, TP_ENOMEM,
 * TP_EUNSUPPORTED without SQLite, or TP_EFORMAT for a damaged database. */
int tp_database_open(struct tp_database **out, const char *path, struct tp_arena *arena, struct tp_error *err);

/* Accepts NULL. */
void tp_database_close(struct tp_database *db);

/* Returns the number of tables, and the name of a table in the order of the file. */
uint32_t tp_database_table_count(const struct tp_database *db);
struct tp_str tp_database_table(const struct tp_database *db, uint32_t table);

bool tp_database_has(const struct tp_database *db, const char *table);

/* Calls use(context) for each row of a table in the order of the file; calls it never if the table is absent or has
 * none of the columns. Returns 0, a negative result of `use`, TP_ENOMEM, or TP_EFORMAT with "damaged SQLite database
 * (TABLE: reason)". */
int tp_database_scan(struct tp_database *db, const struct tp_database_shape *shape, tp_database_use *use, void *context,
                     struct tp_error *err);

/* Reads a column as an integer. Accepts integers, reals (without their fraction) and texts of digits, up to 2^62.
 * Returns false, with *value unchanged, for other values. */
bool tp_database_int(const struct tp_database_row *row, unsigned column, int64_t *value);

/* Returns a column as an integer; `otherwise` if tp_database_int returns false. */
static inline int64_t tp_database_int_or(const struct tp_database_row *row, unsigned column, int64_t otherwise)
{
    tp_database_int(row, column, &otherwise);
    return otherwise;
}

/* Returns the text of a column; ptr NULL if the value is not a text. Valid until the next row. */
struct tp_str tp_database_text(const struct tp_database_row *row, unsigned column);

/* Returns the bytes of a column; ptr NULL if the value is not a blob. Valid until the next row. */
struct tp_str tp_database_bytes(const struct tp_database_row *row, unsigned column);

#endif
