/* Defines a row of a table, which database.h and table_pages.h pass to their callers. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_DATABASE_ROW_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_DATABASE_ROW_H

#include <stdint.h>

#include "writer/base/error.h"

enum { TP_DATABASE_COLUMNS = 40 };

/* A value as the file stores it, in the numbering of SQLite's file format. */
struct tp_database_value {
    const unsigned char *at; /* the bytes of the value: big-endian integer, big-endian double, text or bytes */
    uint32_t size;
    uint8_t type; /* 0: NULL; 1 to 6: integer of `size` bytes; 7: double; 8, 9: the integer 0, 1; 12: bytes; 13: text */
};

/* One row. Valid only during the call that passes it. */
struct tp_database_row {
    const struct tp_database_value *values; /* indexed by column; NULL if SQLite reads the table */
    void *statement;                        /* statement of SQLite */
    int8_t at[TP_DATABASE_COLUMNS];         /* for each column: place in the result of the statement; -1 if absent */
};

/* Called for each row. Returns 0; a positive number to end the scan; or a negative tp_status. */
typedef int tp_database_use(void *context, const struct tp_database_row *row, struct tp_error *err);

#endif
