/* Replaces database.c in the libraries that programs link, because these libraries do not need SQLite. */
#include "webreport/trace/inputs/sqlite/database.h"

int tp_database_open(struct tp_database **out, const char *path, struct tp_arena *arena, struct tp_error *err)
{
    (void)path;
    (void)arena;
    *out = NULL;
    return tp_error_set(err, TP_EUNSUPPORTED, 0, "is an SQLite database, which only the command tracepress reads");
}

void tp_database_close(struct tp_database *db)
{
    (void)db;
}

uint32_t tp_database_table_count(const struct tp_database *db)
{
    (void)db;
    return 0;
}

struct tp_str tp_database_table(const struct tp_database *db, uint32_t table)
{
    (void)db;
    (void)table;
    return TP_STR("");
}

bool tp_database_has(const struct tp_database *db, const char *table)
{
    (void)db;
    (void)table;
    return false;
}

int tp_database_scan(struct tp_database *db, const struct tp_database_shape *shape, tp_database_use *use, void *context,
                     struct tp_error *err)
{
    (void)db;
    (void)shape;
    (void)use;
    (void)context;
    (void)err;
    return TP_OK;
}

bool tp_database_int(const struct tp_database_row *row, unsigned column, int64_t *value)
{
    (void)row;
    (void)column;
    (void)value;
    return false;
}

struct tp_str tp_database_text(const struct tp_database_row *row, unsigned column)
{
    (void)row;
    (void)column;
    return (struct tp_str){NULL, 0};
}

struct tp_str tp_database_bytes(const struct tp_database_row *row, unsigned column)
{
    return tp_database_text(row, column);
}
