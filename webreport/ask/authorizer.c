/* Limits a database to reading: see authorizer.h. */
#include "webreport/ask/authorizer.h"

#include <stddef.h>
#include <strings.h>

#include "writer/base/limits.h"

/* functions that a query must not call */
static const char *const forbidden[] = {
    "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "lsdir", "sqlite_log",
    /* results that differ from call to call; the functions of dates know the time now */
    "random", "randomblob", "current_time", "current_date", "current_timestamp", "date", "time", "datetime",
    "julianday", "unixepoch", "strftime", "timediff"};

static int authorize(void *context, int action, const char *first, const char *second, const char *database,
                     const char *trigger)
{
    (void)context;
    (void)first;
    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    if (action != SQLITE_FUNCTION)
        return SQLITE_DENY;
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (second && strcasecmp(second, forbidden[i]) == 0)
            return SQLITE_DENY;
    return SQLITE_OK;
}

void tp_authorizer_limit_memory(void)
{
    /* the limit needs statistics of memory, which the writer of databases can switch off only before this call */
    sqlite3_initialize();
    sqlite3_hard_heap_limit64(TP_MAX_ASK_SQL_BYTES);
}

int tp_authorizer_set(sqlite3 *db)
{
    enum { COLUMNS = 100, COMPOUND = 20, DEPTH = 100, PATTERN = 400, PARAMETERS = 100 };
    int code = sqlite3_exec(db, "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536", NULL, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TP_MAX_ASK_SQL_VALUE_BYTES);
    sqlite3_limit(db, SQLITE_LIMIT_COLUMN, COLUMNS);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, COMPOUND);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, DEPTH);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN);
    sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, PARAMETERS);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return code == SQLITE_OK ? sqlite3_set_authorizer(db, authorize, NULL) : code;
}
