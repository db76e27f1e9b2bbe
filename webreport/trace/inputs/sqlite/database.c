/* Reads tables of an SQLite database: see database.h. Every setting that SQLite offers against hostile files is on.
 *
 * A damaged file can contain the same page many times, and so more rows than it has bytes. So a scan stops when it has
 * read more rows, or fetched more pages, than a sound file of this size needs. */
#include "webreport/trace/inputs/sqlite/database.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "webreport/trace/inputs/sqlite/table_pages.h"
#include "writer/base/buf.h"
#include "writer/base/limits.h"

enum {
    LEAST_ROW_BYTES = 4,  /* bytes that the smallest row of a table needs: two lengths, a header, a pointer */
    PAGE_FETCHES = 8,     /* a scan of a sound file fetches each page fewer times than this */
    FREE_FETCHES = 16384, /* page fetches that are always allowed */
    ROWS_PER_CHECK = 256  /* number of rows after which the fetches are checked */
};

struct table {
    struct tp_str name;
    uint32_t root; /* number of its first page; 0 if unknown */
};

struct tp_database {
    sqlite3 *db;
    struct tp_table_pages *pages; /* NULL if SQLite must read all tables */
    struct tp_vec tables;         /* elements: struct table */
    uint64_t most_rows, most_fetches;
};

/* ---- errors ---- */

/* Sets the error of a failed call of SQLite. table: the table that was read; NULL for the list of tables. */
static int set_error(struct tp_database *db, const char *table, const char *why, struct tp_error *err)
{
    int code = db && db->db ? sqlite3_errcode(db->db) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM && !why)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    return tp_table_pages_set_damage(table ? table : "list of tables", why ? why : sqlite3_errmsg(db->db), err);
}

/* ---- opening ---- */

/* Allows only SELECT on the tables of the file, and the list of a table's columns. */
static int authorize(void *context, int action, const char *first, const char *second, const char *database,
                     const char *view)
{
    (void)context;
    (void)second;
    (void)database;
    if (action == SQLITE_SELECT || (action == SQLITE_READ && !view))
        return SQLITE_OK;
    return action == SQLITE_PRAGMA && first && strcmp(first, "table_xinfo") == 0 ? SQLITE_OK : SQLITE_DENY;
}

static void restrict_connection(sqlite3 *db)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER,        SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA,        SQLITE_DBCONFIG_DQS_DML,
                              SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
                              SQLITE_DBCONFIG_WRITABLE_SCHEMA};
    static const struct {
        int limit, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, TP_MAX_DATABASE_VALUE_BYTES},
                  {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        sqlite3_db_config(db, off[i], 0, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].limit, limits[i].value);
    sqlite3_exec(db, "PRAGMA cell_size_check=1; PRAGMA temp_store=2; PRAGMA mmap_size=0", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, authorize, NULL);
}

/* Appends the address of a file, with which SQLite creates no file next to it and takes no lock. */
static void append_address(struct tp_buf *out, const char *path)
{
    tp_buf_puts(out, *path == '/' ? "file://" : "file:");
    for (; *path; path++)
        if (tp_is_word_character(*path) || strchr("/.-~", *path))
            tp_buf_putc(out, *path);
        else
            tp_buf_printf(out, "%%%02X", (unsigned char)*path);
    tp_buf_puts(out, "?mode=ro&immutable=1");
}

/* Returns true if the text of a table's definition begins with CREATE TABLE. Virtual tables begin otherwise. */
static bool is_plain_table(struct tp_str sql)
{
    static const char *const words[] = {"create", "table"};
    size_t at = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        while (at < sql.len && isspace((unsigned char)sql.ptr[at]))
            at++;
        if (at + size >= sql.len || tp_str_find_ignore_case((struct tp_str){sql.ptr + at, size}, words[i]) != 0)
            return false;
        at += size;
    }
    return isspace((unsigned char)sql.ptr[at]);
}

enum { MASTER_NAME, MASTER_SQL, MASTER_TYPE, MASTER_ROOT };

static int add_table(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_vec *tables = context;
    struct tp_str name = tp_database_text(row, MASTER_NAME), sql = tp_database_text(row, MASTER_SQL);
    bool is_table = tp_str_equal(tp_database_text(row, MASTER_TYPE), TP_STR("table"));
    if (!is_table || !name.ptr || !sql.ptr || !is_plain_table(sql))
        return TP_OK;
    if (tables->count == TP_MAX_DATABASE_TABLES)
        return tp_error_set(err, TP_ELIMIT, 0, "more than %u tables", TP_MAX_DATABASE_TABLES);
    /* a name with a byte 0 names no table of a statement */
    int64_t root = tp_database_int_or(row, MASTER_ROOT, 0);
    struct table table = {{tp_arena_copy(tables->arena, name.ptr, name.len), name.len}, 0};
    table.root = root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
    if (!memchr(name.ptr, 0, name.len))
        *(struct table *)tp_vec_push(tables) = table;
    return TP_OK;
}

static int list_tables(struct tp_database *db, struct tp_error *err)
{
    static const char *const names[] = {
        [MASTER_NAME] = "name", [MASTER_SQL] = "sql", [MASTER_TYPE] = "type", [MASTER_ROOT] = "rootpage"};
    const struct tp_database_shape master = {"sqlite_master", names, 15};
    return tp_database_scan(db, &master, add_table, &db->tables, err);
}

/* Computes how many rows and page fetches a scan of a sound file of this size needs at most. */
static void set_scan_limits(struct tp_database *db, const char *path)
{
    enum { SMALLEST_PAGE = 512 };
    struct stat info;
    uint64_t bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    db->most_rows = bytes / LEAST_ROW_BYTES + 1;
    db->most_fetches = bytes / SMALLEST_PAGE * PAGE_FETCHES + FREE_FETCHES;
}

int tp_database_open(struct tp_database **out, const char *path, struct tp_arena *arena, struct tp_error *err)
{
    struct tp_database *db = *out = calloc(1, sizeof *db);
    struct tp_buf address;
    if (!db)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    db->tables = TP_VEC(arena, struct table);
    tp_buf_init(&address, 0);
    append_address(&address, path);
    int code = address.failed ? SQLITE_NOMEM
                              : sqlite3_open_v2(address.data, &db->db,
                                                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    tp_buf_release(&address);
    if (code == SQLITE_NOMEM || !db->db)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    if (code != SQLITE_OK)
        return tp_error_set(err, TP_EIO, 0, "cannot open the database: %s", sqlite3_errmsg(db->db));
    restrict_connection(db->db);
    set_scan_limits(db, path);
    code = list_tables(db, err);
    return code < 0 ? code : tp_table_pages_open(&db->pages, path, err);
}

void tp_database_close(struct tp_database *db)
{
    if (!db)
        return;
    for (sqlite3_stmt *left; db->db && (left = sqlite3_next_stmt(db->db, NULL)) != NULL;)
        sqlite3_finalize(left); /* a jump through a guard of an arena left this statement */
    sqlite3_close(db->db);
    tp_table_pages_close(db->pages);
    free(db);
}

uint32_t tp_database_table_count(const struct tp_database *db)
{
    return (uint32_t)db->tables.count;
}

struct tp_str tp_database_table(const struct tp_database *db, uint32_t table)
{
    return TP_AT(&db->tables, struct table, table)->name;
}

static const struct table *find_table(const struct tp_database *db, const char *name)
{
    for (uint32_t i = 0; i < db->tables.count; i++)
        if (tp_str_equal(tp_database_table(db, i), tp_str_of(name)))
            return TP_AT(&db->tables, struct table, i);
    return NULL;
}

bool tp_database_has(const struct tp_database *db, const char *table)
{
    return find_table(db, table) != NULL;
}

/* ---- scanning ---- */

/* Appends a name in double quotes. */
static void append_identifier(struct tp_buf *out, const char *name)
{
    tp_buf_putc(out, '"');
    for (; *name; name++)
        tp_buf_puts(out, *name == '"' ? "\"\"" : (char[]){*name, 0});
    tp_buf_putc(out, '"');
}

static int prepare(struct tp_database *db, const char *table, struct tp_buf *sql, sqlite3_stmt **statement,
                   struct tp_error *err)
{
    bool has_failed = sql->failed;
    int code = has_failed ? SQLITE_NOMEM : sqlite3_prepare_v2(db->db, sql->data, -1, statement, NULL);
    tp_buf_release(sql);
    if (has_failed)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    return code == SQLITE_OK ? TP_OK : set_error(db, table, NULL, err);
}

/* Adds a column of the table to the places of values in a row. Returns false if only SQLite can read the column. */
static bool plan_column(struct tp_table_plan *plan, sqlite3_stmt *info, int8_t column)
{
    enum { INFO_NUMBER, INFO_TYPE = 2, INFO_DEFAULT = 4, INFO_KEY };
    int number = sqlite3_column_int(info, INFO_NUMBER);
    const char *type = (const char *)sqlite3_column_text(info, INFO_TYPE);
    if (column < 0)
        return true;
    /* rows can lack a column that has a default */
    if (number < 0 || number >= TP_TABLE_VALUES || sqlite3_column_type(info, INFO_DEFAULT) != SQLITE_NULL)
        return false;
    while (plan->value_count <= (uint32_t)number)
        plan->columns[plan->value_count++] = -1;
    plan->columns[number] = column;
    if (sqlite3_column_int(info, INFO_KEY) && type && sqlite3_stricmp(type, "INTEGER") == 0)
        plan->key_column = column;
    return true;
}

/* Sets row->at to 0 for each wanted column that the table has, and is not generated, and to -1 for all others. *plan:
 * the places of these columns; root 0 if only SQLite can read the table. */
static int find_columns(struct tp_database *db, const struct tp_database_shape *shape, struct tp_database_row *row,
                        struct tp_table_plan *plan, struct tp_error *err)
{
    enum { INFO_NAME = 1, INFO_HIDDEN = 6 };
    struct tp_buf sql;
    sqlite3_stmt *info;
    bool can_plan = true;
    memset(row->at, -1, sizeof row->at);
    tp_buf_init(&sql, 0);
    tp_buf_puts(&sql, "PRAGMA table_xinfo(");
    append_identifier(&sql, shape->table);
    tp_buf_puts(&sql, ")");
    int code = prepare(db, shape->table, &sql, &info, err), step;
    if (code < 0)
        return code;
    while ((step = sqlite3_step(info)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(info, INFO_NAME);
        bool is_stored = name && sqlite3_column_int(info, INFO_HIDDEN) == 0;
        int8_t column = -1;
        for (unsigned c = 0; c < TP_DATABASE_COLUMNS && is_stored; c++)
            if (shape->columns >> c & 1 && strcmp(name, shape->names[c]) == 0)
                row->at[column = (int8_t)c] = 0;
        can_plan = plan_column(plan, info, column) && can_plan && is_stored;
    }
    sqlite3_finalize(info);
    plan->root = can_plan ? plan->root : 0;
    return step == SQLITE_DONE ? TP_OK : set_error(db, shape->table, NULL, err);
}

/* Writes the statement that reads the columns with row->at 0, and sets row->at to their places in its result. Returns
 * the number of these columns. */
static int write_select(struct tp_buf *sql, const struct tp_database_shape *shape, struct tp_database_row *row)
{
    int count = 0;
    tp_buf_puts(sql, "SELECT ");
    for (unsigned c = 0; c < TP_DATABASE_COLUMNS; c++) {
        if (row->at[c] < 0)
            continue;
        tp_buf_puts(sql, count ? "," : "");
        append_identifier(sql, shape->names[c]);
        row->at[c] = (int8_t)count++;
    }
    tp_buf_puts(sql, " FROM main.");
    append_identifier(sql, shape->table);
    return count;
}

/* Returns the number of pages that SQLite has fetched since the last call. */
static uint64_t count_new_page_fetches(sqlite3 *db)
{
    int hits = 0, misses = 0, highest;
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &highest, true);
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, true);
    return (uint64_t)(unsigned)hits + (uint64_t)(unsigned)misses;
}

/* Passes the rows of a prepared statement to `use`. */
static int step_through_rows(struct tp_database *db, const char *table, const struct tp_database_row *row,
                             tp_database_use *use, void *context, struct tp_error *err)
{
    sqlite3_stmt *statement = row->statement;
    uint64_t rows = 0, fetches = 0;
    int code = TP_OK, step = SQLITE_ROW;
    count_new_page_fetches(db->db);
    while (code == TP_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (++rows % ROWS_PER_CHECK == 0)
            fetches += count_new_page_fetches(db->db);
        if (rows > db->most_rows || fetches > db->most_fetches)
            return set_error(db, table, "pages are used more than once", err);
        code = use(context, row, err);
    }
    if (code)
        return code < 0 ? code : TP_OK;
    return step == SQLITE_DONE ? TP_OK : set_error(db, table, NULL, err);
}

/* Passes the rows of a table to `use`, read by SQLite. */
static int scan_with_sqlite(struct tp_database *db, const struct tp_database_shape *shape, struct tp_database_row *row,
                            tp_database_use *use, void *context, struct tp_error *err)
{
    struct tp_buf sql;
    sqlite3_stmt *statement;
    tp_buf_init(&sql, 0);
    if (write_select(&sql, shape, row) == 0) {
        tp_buf_release(&sql);
        return TP_OK;
    }
    int code = prepare(db, shape->table, &sql, &statement, err);
    if (code < 0)
        return code;
    row->statement = statement;
    code = step_through_rows(db, shape->table, row, use, context, err);
    sqlite3_finalize(statement);
    return code;
}

int tp_database_scan(struct tp_database *db, const struct tp_database_shape *shape, tp_database_use *use, void *context,
                     struct tp_error *err)
{
    struct tp_database_row row = {NULL, NULL, {0}};
    struct tp_table_plan plan = {.table = shape->table, .key_column = -1};
    const struct table *table = find_table(db, shape->table);
    if (!table && strcmp(shape->table, "sqlite_master") != 0)
        return TP_OK;
    plan.root = table ? table->root : 0;
    int code = find_columns(db, shape, &row, &plan, err);
    if (code < 0)
        return code;
    if (db->pages && plan.value_count && tp_table_pages_can_read(db->pages, plan.root))
        return tp_table_pages_scan(db->pages, &plan, use, context, err);
    return scan_with_sqlite(db, shape, &row, use, context, err);
}

/* ---- values ---- */

static const int64_t most = INT64_C(1) << 62;

/* Parses a text of at most 19 digits, with a sign and white space around it. */
static bool parse_int(struct tp_str text, int64_t *value)
{
    enum { MOST_DIGITS = 19 };
    uint64_t number = 0;
    size_t at = 0, first;
    while (text.len && isspace((unsigned char)text.ptr[text.len - 1]))
        text.len--;
    while (at < text.len && isspace((unsigned char)text.ptr[at]))
        at++;
    bool is_negative = at < text.len && text.ptr[at] == '-';
    for (first = at += is_negative; at < text.len && tp_is_digit(text.ptr[at]) && at - first < MOST_DIGITS; at++)
        number = number * 10 + (uint64_t)(text.ptr[at] - '0');
    if (at == first || at < text.len || number >= (uint64_t)most)
        return false;
    *value = is_negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static bool set_int(int64_t number, int64_t *value)
{
    bool is_small = number > -most && number < most;
    *value = is_small ? number : *value;
    return is_small;
}

static bool set_double(double number, int64_t *value)
{
    bool is_small = number > -(double)most && number < (double)most;
    *value = is_small ? (int64_t)number : *value;
    return is_small;
}

/* Does the work of tp_database_int for a value of the file. */
static bool read_stored_int(const struct tp_database_value *stored, int64_t *value)
{
    enum { DOUBLE = 7, ZERO = 8, ONE = 9, TEXT = 13 };
    uint64_t bits = 0;
    double number;
    if (stored->type == TEXT)
        return parse_int((struct tp_str){(const char *)stored->at, stored->size}, value);
    if (stored->type == ZERO || stored->type == ONE)
        return set_int(stored->type - ZERO, value);
    if (stored->type == 0 || stored->type > DOUBLE)
        return false;
    bits = stored->at[0] & 0x80 ? UINT64_MAX : 0; /* the sign of a short integer */
    for (uint32_t i = 0; i < stored->size; i++)
        bits = bits << 8 | stored->at[i];
    if (stored->type < DOUBLE)
        return set_int((int64_t)bits, value);
    memcpy(&number, &bits, sizeof number);
    return set_double(number, value);
}

bool tp_database_int(const struct tp_database_row *row, unsigned column, int64_t *value)
{
    if (row->values)
        return read_stored_int(&row->values[column], value);
    int at = row->at[column];
    sqlite3_value *cell = at < 0 ? NULL : sqlite3_column_value(row->statement, at);
    if (!cell)
        return false;
    switch (sqlite3_value_type(cell)) {
    case SQLITE_INTEGER:
        return set_int(sqlite3_value_int64(cell), value);
    case SQLITE_FLOAT:
        return set_double(sqlite3_value_double(cell), value);
    case SQLITE_TEXT:
        return parse_int(tp_database_text(row, column), value);
    default:
        return false;
    }
}

struct tp_str tp_database_text(const struct tp_database_row *row, unsigned column)
{
    enum { TEXT = 13 };
    if (row->values) {
        const struct tp_database_value *stored = &row->values[column];
        return stored->type == TEXT ? (struct tp_str){(const char *)stored->at, stored->size}
                                    : (struct tp_str){NULL, 0};
    }
    int at = row->at[column];
    sqlite3_value *cell = at < 0 ? NULL : sqlite3_column_value(row->statement, at);
    if (!cell || sqlite3_value_type(cell) != SQLITE_TEXT)
        return (struct tp_str){NULL, 0};
    const char *text = (const char *)sqlite3_value_text(cell);
    return (struct tp_str){text, text ? (size_t)sqlite3_value_bytes(cell) : 0};
}

struct tp_str tp_database_bytes(const struct tp_database_row *row, unsigned column)
{
    enum { BYTES = 12 };
    const struct tp_str none = {NULL, 0};
    if (row->values) {
        const struct tp_database_value *stored = &row->values[column];
        return stored->type == BYTES ? (struct tp_str){(const char *)stored->at, stored->size} : none;
    }
    int at = row->at[column];
    sqlite3_value *cell = at < 0 ? NULL : sqlite3_column_value(row->statement, at);
    if (!cell || sqlite3_value_type(cell) != SQLITE_BLOB)
        return none;
    const char *bytes = sqlite3_value_blob(cell);
    return (struct tp_str){bytes, bytes ? (size_t)sqlite3_value_bytes(cell) : 0};
}
