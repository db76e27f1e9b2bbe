/* Makes the database of an input: the tables of `export --to sqlite` and the measured tables. See input_database.h. */
#include "webreport/ask/input_database.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/ask/authorizer.h"
#include "webreport/export/export_formats.h"
#include "writer/base/environment.h"
#include "writer/text/format.h"

/* ---- a file of our own ---- */

/* Makes a folder that only this user can read, and sets *folder to its path in the arena. Returns whether it exists. */
static bool make_folder(const char **folder, struct tp_arena *arena)
{
    const char *parent = tp_environment("TMPDIR");
    enum { TRIES = 1000 };
    for (unsigned i = 0; i < TRIES; i++) {
        *folder =
            tp_text_printf(arena, "%s/tracepress-ask-%ld-%u", parent && *parent ? parent : "/tmp", (long)getpid(), i);
        if (mkdir(*folder, 0700) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* ---- measured tables ---- */

/* A database that is being written. */
struct writing {
    sqlite3 *db;
    struct tp_arena *arena;
    int code; /* first failure of SQLite, or SQLITE_OK */
};

static void run(struct writing *w, const char *sql)
{
    if (w->code == SQLITE_OK)
        w->code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(struct writing *w, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (w->code == SQLITE_OK)
        w->code = sqlite3_prepare_v2(w->db, sql, -1, &statement, NULL);
    return statement;
}

static void step(struct writing *w, sqlite3_stmt *statement)
{
    if (w->code == SQLITE_OK)
        w->code = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(w->db);
    sqlite3_reset(statement);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_cell(sqlite3_stmt *statement, const struct tp_table *table, unsigned column, size_t row)
{
    int at = (int)column + 1;
    struct tp_str text;
    double real;
    switch (table->defs[column].type) {
    case TP_COLUMN_INT:
    case TP_COLUMN_NS:
    case TP_COLUMN_BYTES:
        if (tp_table_int(table, column)[row] != TP_NULL_INT)
            sqlite3_bind_int64(statement, at, tp_table_int(table, column)[row]);
        return;
    case TP_COLUMN_REAL:
        real = tp_table_real(table, column)[row];
        if (isfinite(real))
            sqlite3_bind_double(statement, at, real);
        return;
    case TP_COLUMN_BOOL:
        sqlite3_bind_int(statement, at, tp_table_bool(table, column)[row]);
        return;
    default:
        text = tp_table_text(table, column)[row];
        if (text.ptr)
            sqlite3_bind_text64(statement, at, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
        return;
    }
}

static void document_table(struct writing *w, const struct tp_ask_table *table)
{
    sqlite3_stmt *statement = prepare(w, "INSERT INTO documentation VALUES (?,?,?)");
    for (unsigned c = 0; c <= table->column_count && statement; c++) {
        bind_text(statement, 1, table->name);
        bind_text(statement, 2, c ? table->defs[c - 1].name : "");
        bind_text(statement, 3, c ? table->defs[c - 1].definition : table->definition);
        step(w, statement);
    }
    sqlite3_finalize(statement);
}

static void add_table(struct writing *w, const struct tp_ask_table *row, const struct tp_ask_input *input)
{
    struct tp_table table;
    struct tp_buf sql;
    row->build(&table, input, w->arena);
    if (!table.row_count)
        return;
    tp_buf_init(&sql, 0);
    tp_buf_printf(&sql, "CREATE TABLE %s (", row->name);
    for (unsigned c = 0; c < row->column_count; c++)
        tp_buf_printf(&sql, "%s%s", c ? ", " : "", row->defs[c].name);
    tp_buf_puts(&sql, ")");
    run(w, tp_buf_move(&sql, w->arena));
    tp_buf_printf(&sql, "INSERT INTO %s VALUES (?", row->name);
    for (unsigned c = 1; c < row->column_count; c++)
        tp_buf_puts(&sql, ",?");
    tp_buf_puts(&sql, ")");
    sqlite3_stmt *statement = prepare(w, tp_buf_move(&sql, w->arena));
    for (size_t i = 0; i < table.row_count && w->code == SQLITE_OK; i++) {
        sqlite3_clear_bindings(statement);
        for (unsigned c = 0; c < row->column_count; c++)
            bind_cell(statement, &table, c, i);
        step(w, statement);
    }
    sqlite3_finalize(statement);
    document_table(w, row);
}

static int add_tables(void *context, struct tp_error *err)
{
    struct tp_ask_call *call = ((void **)context)[0];
    struct writing *w = ((void **)context)[1];
    (void)err;
    run(w, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
           "CREATE TABLE IF NOT EXISTS documentation (table_name TEXT, column_name TEXT, definition TEXT)");
    for (const struct tp_ask_table *table = tp_ask_tables; table->name; table++)
        if (tp_ask_table_fits(table, call->input))
            add_table(w, table, call->input);
    run(w, "COMMIT");
    return TP_OK;
}

static int add_measured_tables(struct tp_ask_call *call, const char *path, struct tp_error *err)
{
    struct writing w = {.arena = call->arena};
    void *both[] = {call, &w};
    w.code = sqlite3_open_v2(path, &w.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    int code = tp_arena_run(call->arena, add_tables, both, err);
    if (code == TP_OK && w.code != SQLITE_OK)
        code = tp_error_set(err, w.code == SQLITE_NOMEM ? TP_ENOMEM : TP_EIO, 0, "the cache file: %s",
                            sqlite3_errstr(w.code));
    for (sqlite3_stmt *left; w.db && (left = sqlite3_next_stmt(w.db, NULL));)
        sqlite3_finalize(left);
    sqlite3_close(w.db);
    return code;
}

/* ---- opening ---- */

static int export_trace(struct tp_ask_call *call, const char *folder, struct tp_error *err)
{
    const struct tp_opened_trace *trace = &call->input->trace;
    const struct tp_export export = {.profile = &trace->profile,
                                     .path = trace->file->path,
                                     .is_part = trace->file->part && trace->file->part->rows,
                                     .read = &trace->read,
                                     .reading = &call->input->trace.analysis.trace.reading,
                                     .out = folder,
                                     .folder = folder,
                                     .run = "",
                                     .worker = "trace",
                                     .arena = call->arena};
    return tp_export_sqlite(&export, err);
}

/* Returns the path as a URI of SQLite that opens the file only for reading. */
static const char *uri_of(const char *path, struct tp_arena *arena)
{
    struct tp_buf uri;
    tp_buf_init(&uri, 0);
    tp_buf_puts(&uri, "file:");
    for (const char *c = path; *c; c++) {
        if (tp_is_word_character(*c) || strchr("/.-", *c))
            tp_buf_putc(&uri, *c);
        else
            tp_buf_printf(&uri, "%%%02x", (unsigned char)*c);
    }
    tp_buf_puts(&uri, "?mode=ro&immutable=1");
    return tp_buf_move(&uri, arena);
}

struct making {
    struct tp_ask_call *call;
    const char *folder, *path;
    sqlite3 *db;
};

static int make_database(void *context, struct tp_error *err)
{
    struct making *m = context;
    struct stat info;
    int code = m->call->input->is_trace ? export_trace(m->call, m->folder, err) : TP_OK;
    code = code < 0 ? code : add_measured_tables(m->call, m->path, err);
    if (code < 0)
        return code;
    if (stat(m->path, &info) == 0)
        m->call->input->database_bytes = (uint64_t)info.st_size;
    if (sqlite3_open_v2(uri_of(m->path, m->call->arena), &m->db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        tp_authorizer_set(m->db) != SQLITE_OK)
        return tp_error_set(err, TP_EIO, 0, "the cache file cannot be opened");
    return TP_OK;
}

enum tp_ask_code tp_input_database_open(struct tp_ask_call *call)
{
    struct making making = {.call = call};
    struct tp_error err = {0};
    if (call->input->database)
        return TP_ASK_ANSWERED;
    if (!make_folder(&making.folder, call->arena))
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "set TMPDIR to a folder that can be written",
                            "there is no folder for the cache file");
    making.path = tp_text_printf(call->arena, "%s/trace.sqlite", making.folder);
    int code = tp_arena_run(call->arena, make_database, &making, &err);
    unlink(making.path); /* SQLite keeps the file open; no other program can find it */
    rmdir(making.folder);
    if (code < 0)
        sqlite3_close(making.db);
    tp_arena_fail_with_stored_code(call->arena);
    if (code < 0)
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "", "%s", err.text);
    call->input->database = making.db;
    return TP_ASK_ANSWERED;
}

void tp_input_database_close(struct tp_ask_input *input)
{
    sqlite3_close(input->database);
    input->database = NULL;
}
