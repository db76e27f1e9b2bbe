/* Reads the rows of tables from the pages of a database file, several times faster than the engine of SQLite.
 *
 * Reads ordinary tables of UTF-8 databases only, in the format that https://www.sqlite.org/fileformat2.html describes;
 * database.c reads all others with SQLite. No page is used twice in a scan, and the cells of a page may not overlap, so
 * the work of a scan is proportional to the size of the file, whatever the file contains. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_TABLE_PAGES_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_TABLE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/inputs/sqlite/database_row.h"

enum { TP_TABLE_VALUES = 200 }; /* most values of a row that are looked at */

/* The values of a row that a scan reads. */
struct tp_table_plan {
    const char *table;               /* for error messages */
    uint32_t root;                   /* number of the first page of the table */
    uint32_t value_count;            /* number of values of a row to look at; at most TP_TABLE_VALUES */
    int8_t columns[TP_TABLE_VALUES]; /* for each value of a row: its column in struct tp_database_row; -1 if unused */
    int key_column;                  /* column that contains the number of the row; -1 if none does */
};

struct tp_table_pages;

/* Opens the pages of the database at `path`. *out: NULL if this module cannot read the database. Returns 0 or
 * TP_ENOMEM. */
int tp_table_pages_open(struct tp_table_pages **out, const char *path, struct tp_error *err);

/* Accepts NULL. */
void tp_table_pages_close(struct tp_table_pages *pages);

/* Returns true if `root` is the first page of an ordinary table, and no scan is running. */
bool tp_table_pages_can_read(struct tp_table_pages *pages, uint32_t root);

/* Calls use(context) for each row of a table in the order of the row numbers. Returns 0, a negative result of `use`,
 * TP_EIO, TP_ENOMEM, or the error of tp_table_pages_set_damage. */
int tp_table_pages_scan(struct tp_table_pages *pages, const struct tp_table_plan *plan, tp_database_use *use,
                        void *context, struct tp_error *err);

/* Sets the error "damaged SQLite database (TABLE: reason)". Returns TP_EFORMAT. */
int tp_table_pages_set_damage(const char *table, const char *why, struct tp_error *err);

#endif
