/* Writes export --to sqlite: a trace as an SQLite database.
 *
 * The table `texts` contains each text once. TABLE_rows contains ids instead of texts, and the view TABLE shows the
 * rows with their texts. For speed, the export uses one transaction, prepared statements and no journal, and creates
 * indexes last. A crash leaves no partial database, because the file gets its name only after it is complete. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/rows/export_args.h"
#include "webreport/export/rows/export_rows.h"
#include "webreport/export/rows/snapshot_rows.h"
#include "webreport/export/whole_file.h"
#include "webreport/measure/work/work_rates.h"
#include "writer/base/fs.h"
#include "writer/base/saturate.h"

struct database {
    sqlite3 *db;
    const struct tp_export *export;
    struct tp_rows rows;
    struct tp_strings texts; /* texts of the table `texts`; the key of a text in the database is its id + 1 */
    struct tp_buf sql;       /* text of the SQL statement that is being built */
    int code;                /* first failure of SQLite, or SQLITE_OK */
};

static void run_sql(struct database *d, const char *sql)
{
    if (d->code == SQLITE_OK)
        d->code = sqlite3_exec(d->db, sql, NULL, NULL, NULL);
}

/* Runs the statement in d->sql, and empties d->sql. */
static void run_sql_of_buffer(struct database *d)
{
    if (d->sql.failed)
        d->code = SQLITE_NOMEM;
    else
        run_sql(d, d->sql.data);
    tp_buf_clear(&d->sql);
}

/* ---- schema ---- */

static const char *sql_type(enum tp_rows_type type)
{
    /* a text column has the type INTEGER, because it contains keys of the table `texts` */
    return type == TP_ROWS_REAL ? "REAL" : "INTEGER";
}

/* Returns whether a column is the primary key if it is the first column. */
static bool is_key(const struct tp_rows_column *column)
{
    return column->type == TP_ROWS_INT && column->is_indexed;
}

static void make_table(struct database *d, const struct tp_rows_table *table)
{
    struct tp_buf *sql = &d->sql;
    tp_buf_printf(sql, "CREATE TABLE %s_rows (", table->name);
    for (unsigned c = 0; c < table->column_count; c++)
        tp_buf_printf(sql, "%s%s%s %s%s", c ? ", " : "", table->columns[c].name,
                      table->columns[c].type == TP_ROWS_TEXT ? "_text" : "", sql_type(table->columns[c].type),
                      c == 0 && is_key(&table->columns[c]) ? " PRIMARY KEY" : "");
    tp_buf_puts(sql, ")");
    run_sql_of_buffer(d);
    tp_buf_printf(sql, "CREATE VIEW %s AS SELECT ", table->name);
    for (unsigned c = 0; c < table->column_count; c++) {
        const char *name = table->columns[c].name;
        if (table->columns[c].type == TP_ROWS_TEXT)
            tp_buf_printf(sql, "%st_%s.text AS %s", c ? ", " : "", name, name);
        else
            tp_buf_printf(sql, "%sr.%s AS %s", c ? ", " : "", name, name);
    }
    tp_buf_printf(sql, " FROM %s_rows AS r", table->name);
    for (unsigned c = 0; c < table->column_count; c++)
        if (table->columns[c].type == TP_ROWS_TEXT)
            tp_buf_printf(sql, " %sJOIN texts AS t_%s ON t_%s.text_id = r.%s_text",
                          table->columns[c].is_indexed ? "" : "LEFT ", table->columns[c].name, table->columns[c].name,
                          table->columns[c].name);
    run_sql_of_buffer(d);
}

static void make_indices(struct database *d, const struct tp_rows_table *table)
{
    struct tp_buf *sql = &d->sql;
    /* skips the first column, which is the primary key or has few different values, so that an index is not useful */
    for (unsigned c = 1; c < table->column_count; c++) {
        const struct tp_rows_column *column = &table->columns[c];
        if (!column->is_indexed)
            continue;
        tp_buf_printf(sql, "CREATE INDEX %s_by_%s ON %s_rows (%s%s)", table->name, column->name, table->name,
                      column->name, column->type == TP_ROWS_TEXT ? "_text" : "");
        run_sql_of_buffer(d);
    }
}

/* ---- rows ---- */

static sqlite3_stmt *prepare_statement(struct database *d, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (d->code == SQLITE_OK)
        d->code = sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL);
    return statement;
}

static void run_statement(struct database *d, sqlite3_stmt *statement)
{
    if (d->code != SQLITE_OK)
        return;
    d->code = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(d->db);
    sqlite3_reset(statement);
}

static void bind_text(struct database *d, sqlite3_stmt *statement, int at, struct tp_str text)
{
    if (d->code == SQLITE_OK)
        d->code = sqlite3_bind_text64(statement, at, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_cell(struct database *d, sqlite3_stmt *statement, int at, enum tp_rows_type type,
                      const struct tp_rows_cell *cell)
{
    bool is_null = type == TP_ROWS_INT    ? cell->integer == TP_NULL_INT
                   : type == TP_ROWS_REAL ? isnan(cell->real)
                                          : !cell->text.ptr;
    if (is_null)
        sqlite3_bind_null(statement, at);
    else if (type == TP_ROWS_INT)
        sqlite3_bind_int64(statement, at, cell->integer);
    else if (type == TP_ROWS_REAL)
        sqlite3_bind_double(statement, at, cell->real);
    else
        sqlite3_bind_int64(statement, at, (int64_t)tp_strings_add(&d->texts, cell->text) + 1);
}

static void insert_table_rows(struct database *d, const struct tp_rows_table *table, sqlite3_stmt *statement)
{
    struct tp_rows_cell cells[TP_ROWS_MAX_COLUMNS];
    uint32_t count = table->count(&d->rows);
    for (uint32_t row = 0; row < count && d->code == SQLITE_OK; row++) {
        table->fill(&d->rows, row, cells);
        for (unsigned c = 0; c < table->column_count; c++)
            bind_cell(d, statement, (int)c + 1, table->columns[c].type, &cells[c]);
        run_statement(d, statement);
    }
}

/* Fills the rows of a table. The database finalizes the statement when it is closed. */
static void fill_table(struct database *d, const struct tp_rows_table *table)
{
    char sql[256];
    int n = snprintf(sql, sizeof sql, "INSERT INTO %s_rows VALUES (?", table->name);
    for (unsigned c = 1; c < table->column_count; c++)
        n += snprintf(sql + n, sizeof sql - (size_t)n, ",?");
    snprintf(sql + n, sizeof sql - (size_t)n, ")");
    sqlite3_stmt *statement = prepare_statement(d, sql);
    insert_table_rows(d, table, statement);
    sqlite3_finalize(statement);
}

static void fill_text_table(struct database *d)
{
    sqlite3_stmt *statement = prepare_statement(d, "INSERT INTO texts VALUES (?,?)");
    for (uint32_t i = 0; i < d->texts.count && d->code == SQLITE_OK; i++) {
        sqlite3_bind_int64(statement, 1, (int64_t)i + 1);
        bind_text(d, statement, 2, d->texts.items[i]);
        run_statement(d, statement);
    }
    sqlite3_finalize(statement);
}

/* ---- arguments ---- */

/* Creates the table of arguments. A row contains all arguments of an event as one JSON text, because one row for each
 * argument would triple the time to write the database. The view splits the text. */
static void make_argument_table(struct database *d)
{
    run_sql(d, "CREATE TABLE args_rows (event_id INTEGER PRIMARY KEY, args TEXT NOT NULL);"
               "CREATE VIEW args AS SELECT r.event_id AS event_id, j.key AS key, CASE j.type WHEN 'true' THEN 'true'"
               " WHEN 'false' THEN 'false' ELSE j.value END AS value FROM args_rows AS r, json_each(r.args) AS j");
}

/* Returns whether the JSON is nested deeper than 900 levels. One deeper text would make SQLite refuse all queries of
 * the view. */
static bool is_too_deep(struct tp_str json)
{
    unsigned depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; json.len > 1000 && i < json.len; i++) {
        char c = json.ptr[i];
        if (c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{'))
            deepest = ++depth > deepest ? depth : deepest;
        else if (!in_string && (c == ']' || c == '}'))
            depth--;
    }
    return deepest > 900;
}

struct args_insert {
    struct database *d;
    sqlite3_stmt *statement;
};

static int insert_arguments_of_event(void *context, uint32_t event, struct tp_str args, struct tp_error *err)
{
    struct args_insert *a = context;
    (void)err; /* unused, because d->code has the code of the failure */
    if (is_too_deep(args))
        return TP_OK;
    sqlite3_bind_int64(a->statement, 1, event);
    bind_text(a->d, a->statement, 2, args);
    run_statement(a->d, a->statement);
    return a->d->code == SQLITE_OK ? TP_OK : TP_EIO;
}

static int fill_argument_table(struct database *d, struct tp_error *err)
{
    struct args_insert a = {d, prepare_statement(d, "INSERT INTO args_rows VALUES (?,?)")};
    int code = d->code == SQLITE_OK ? tp_args_visit_all(d->export, d->export->arena, insert_arguments_of_event, &a, err)
                                    : TP_OK;
    sqlite3_finalize(a.statement);
    return d->code == SQLITE_OK ? code : TP_OK;
}

/* Writes the definitions of all tables and columns into the database. */
static void fill_documentation(struct database *d)
{
    sqlite3_stmt *statement = prepare_statement(d, "INSERT INTO documentation VALUES (?,?,?)");
    const struct tp_rows_table *table;
    for (unsigned i = 0; (table = tp_rows_table(&d->rows, i)); i++) {
        for (unsigned c = 0; c <= table->column_count; c++) {
            bind_text(d, statement, 1, tp_str_of(table->name));
            bind_text(d, statement, 2, tp_str_of(c ? table->columns[c - 1].name : ""));
            bind_text(d, statement, 3, tp_str_of(c ? table->columns[c - 1].definition : table->definition));
            run_statement(d, statement);
        }
    }
    for (unsigned c = 0; c <= 3 && !d->rows.snapshot; c++) {
        bind_text(d, statement, 1, TP_STR("args"));
        bind_text(d, statement, 2, tp_str_of(c ? tp_args_columns[c - 1].name : ""));
        bind_text(d, statement, 3, tp_str_of(c ? tp_args_columns[c - 1].definition : TP_ARGS_DEFINITION));
        run_statement(d, statement);
    }
    sqlite3_finalize(statement);
}

static void insert_fact(struct database *d, sqlite3_stmt *statement, const char *key, struct tp_str value)
{
    bind_text(d, statement, 1, tp_str_of(key));
    bind_text(d, statement, 2, value);
    run_statement(d, statement);
}

static void fill_table_about_snapshot(struct database *d)
{
    sqlite3_stmt *statement = prepare_statement(d, "INSERT INTO about VALUES (?,?)");
    insert_fact(d, statement, "schema_version", TP_STR("1"));
    insert_fact(d, statement, "file", d->export->snapshot->file);
    insert_fact(d, statement, "settings", tp_str_of(d->export->snapshot->snapshot->settings.json));
    sqlite3_finalize(statement);
}

static void fill_table_about_trace(struct database *d)
{
    struct tp_work_rates reached;
    const struct tp_profile *profile = d->export->profile;
    char first[32];
    int n = snprintf(first, sizeof first, "%lld",
                     (long long)tp_sat_add(d->rows.model->trace->base_time_ns, d->rows.first_ns));
    const struct {
        const char *key;
        struct tp_str value;
    } facts[] = {{"schema_version", TP_STR("1")}, {"run", profile->run},       {"worker", profile->worker},
                 {"file", profile->file},         {"sha256", profile->sha256}, {"first_event_ns", {first, (size_t)n}}};
    tp_work_rates_build(&reached, &d->rows.kinds, &d->rows.units);
    const struct {
        const char *key;
        double value;
    } rates[] = {{"gemm.pct_of_peak", reached.products_percent}, {"step.mfu", reached.step_percent}};
    sqlite3_stmt *statement = prepare_statement(d, "INSERT INTO about VALUES (?,?)");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        insert_fact(d, statement, facts[i].key, facts[i].value);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        if (isnan(rates[i].value)) /* leaves out rates that are unknown in this trace */
            continue;
        bind_text(d, statement, 1, tp_str_of(rates[i].key));
        sqlite3_bind_double(statement, 2, rates[i].value);
        run_statement(d, statement);
    }
    sqlite3_finalize(statement);
}

/* ---- database ---- */

static int fill_database(void *context, struct tp_error *err)
{
    struct database *d = context;
    run_sql(d,
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
            "BEGIN; CREATE TABLE texts (text_id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
            "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);"
            "CREATE TABLE documentation (table_name TEXT, column_name TEXT, definition TEXT)");
    const struct tp_rows_table *table;
    for (unsigned i = 0; (table = tp_rows_table(&d->rows, i)); i++)
        make_table(d, table);
    if (!d->rows.snapshot)
        make_argument_table(d);
    fill_documentation(d);
    (d->rows.snapshot ? fill_table_about_snapshot : fill_table_about_trace)(d);
    for (unsigned i = 0; (table = tp_rows_table(&d->rows, i)); i++)
        fill_table(d, table);
    int code = d->rows.snapshot ? TP_OK : fill_argument_table(d, err);
    if (code < 0)
        return code;
    fill_text_table(d);
    run_sql(d, "CREATE INDEX texts_by_text ON texts (text)");
    for (unsigned i = 0; (table = tp_rows_table(&d->rows, i)); i++)
        make_indices(d, table);
    run_sql(d, "COMMIT; PRAGMA user_version=1");
    return TP_OK;
}

static int fill_file(struct database *d, const char *temporary, const char *path, struct tp_error *err)
{
    /* disables the memory statistics of SQLite, which take a lock for each allocation; without effect if SQLite is
     * already in use */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    d->code = sqlite3_open_v2(temporary, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    tp_buf_init(&d->sql, 0);
    int code = tp_arena_run(d->export->arena, fill_database, d, err);
    tp_buf_release(&d->sql);
    if (d->code == SQLITE_NOMEM)
        code = tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", path);
    else if (d->code != SQLITE_OK)
        code = tp_error_set(err, TP_EIO, 0, "%s: cannot write: %s", path, sqlite3_errstr(d->code));
    for (sqlite3_stmt *left; d->db && (left = sqlite3_next_stmt(d->db, NULL));)
        sqlite3_finalize(left);
    if (sqlite3_close(d->db) != SQLITE_OK && code == TP_OK)
        code = tp_error_set(err, TP_EIO, 0, "%s: cannot write", path);
    return code;
}

int tp_export_sqlite(const struct tp_export *export, struct tp_error *err)
{
    struct database *d = tp_arena_alloc(export->arena, sizeof *d);
    struct tp_outfile *file;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.sqlite", export->folder, export->worker);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    d->export = export;
    if (export->snapshot)
        tp_snapshot_rows_build(&d->rows, export->snapshot, export->arena);
    else
        tp_rows_build(&d->rows, export->profile->model, export->arena);
    tp_strings_init(&d->texts, export->arena, 0);
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    const char *temporary;
    code = tp_outfile_temporary(&temporary, file, err);
    if (code == TP_OK)
        code = temporary ? fill_file(d, temporary, path, err)
                         : tp_error_set(err, TP_EIO, 0, "%s: a database cannot be written into it", path);
    if (code == TP_OK)
        return tp_export_note_written_path(export, path, tp_outfile_commit(&file, err));
    tp_outfile_discard(&file);
    return code;
}
