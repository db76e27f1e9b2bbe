/* Runs queries of a database, and writes their rows: see input_database.h. */
#include <ctype.h>
#include <sqlite3.h>
#include <time.h>

#include "webreport/ask/input_database.h"

/* A query that is running. */
struct running {
    struct tp_ask_call *call;
    const struct tp_input_database_query *query;
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct timespec end; /* time at which the query is stopped */
};

/* ---- limits ---- */

static void set_end(struct running *r)
{
    int64_t ms = r->call->ask->options.sql_ms;
    clock_gettime(CLOCK_MONOTONIC, &r->end);
    r->end.tv_sec += ms / 1000;
    r->end.tv_nsec += ms % 1000 * 1000000;
    if (r->end.tv_nsec >= 1000000000) {
        r->end.tv_nsec -= 1000000000;
        r->end.tv_sec++;
    }
}

/* Stops the query if it returns 1. SQLite calls it after some thousand operations. */
static int is_stopped(void *context)
{
    const struct running *r = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return atomic_load(&r->call->ask->is_cancelled) || now.tv_sec > r->end.tv_sec ||
           (now.tv_sec == r->end.tv_sec && now.tv_nsec > r->end.tv_nsec);
}

/* ---- failures ---- */

static enum tp_ask_code fail(const struct running *r, int code)
{
    static const char hint[] = "table documentation lists tables and columns";
    struct tp_ask_call *call = r->call;
    const char *message = sqlite3_errmsg(r->db);
    switch (code & 0xFF) {
    case SQLITE_INTERRUPT:
        if (atomic_load(&call->ask->is_cancelled))
            return tp_call_fail(call, TP_ASK_CANCELLED, "", "the query was cancelled");
        return tp_call_fail(call, TP_ASK_TOO_SLOW, "filter by step or category, or aggregate",
                            "the query was stopped after %lld ms", (long long)call->ask->options.sql_ms);
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
        return tp_call_fail(call, TP_ASK_TOO_LARGE, "ask for smaller values", "%s", message);
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return tp_call_fail(call, TP_ASK_NOT_ALLOWED, "only queries that read the tables are allowed", "%s", message);
    default:
        if (strstr(message, "authorized") || strstr(message, "prohibited"))
            return tp_call_fail(call, TP_ASK_NOT_ALLOWED, "only queries that read the tables are allowed", "%s",
                                message);
        return tp_call_fail(call, TP_ASK_SQL_ERROR, hint, "%s", message);
    }
}

/* ---- rows ---- */

static void write_value(const struct running *r, int column)
{
    struct tp_json *json = &r->call->json;
    switch (sqlite3_column_type(r->statement, column)) {
    case SQLITE_INTEGER:
        tp_json_int(json, sqlite3_column_int64(r->statement, column));
        return;
    case SQLITE_FLOAT:
        tp_json_real(json, sqlite3_column_double(r->statement, column));
        return;
    case SQLITE_TEXT:
        tp_call_str(r->call, (struct tp_str){(const char *)sqlite3_column_text(r->statement, column),
                                             (size_t)sqlite3_column_bytes(r->statement, column)});
        return;
    default: /* NULL, and bytes without a type */
        tp_json_null(json);
        return;
    }
}

static void write_row(const struct running *r)
{
    struct tp_json *json = &r->call->json;
    int count = sqlite3_column_count(r->statement);
    if (r->query->table)
        tp_json_object(json);
    else
        tp_json_array(json);
    for (int i = 0; i < count; i++) {
        if (r->query->table)
            tp_json_key(json, sqlite3_column_name(r->statement, i));
        write_value(r, i);
    }
    if (r->query->table)
        tp_json_object_end(json);
    else
        tp_json_array_end(json);
}

/* Writes rows until the limit, or until the size of the answer is reached. *more: set to whether rows remain; *count:
 * number of written rows. Returns the last code of SQLite. */
static int write_rows(const struct running *r, int64_t offset, bool *more, int64_t *count)
{
    enum { TAIL_BYTES = 120 }; /* the members after the rows, at most */
    struct tp_ask_call *call = r->call;
    int code;
    *more = false;
    *count = 0;
    for (int64_t i = 0; (code = sqlite3_step(r->statement)) == SQLITE_ROW; i++) {
        struct tp_call_mark mark = tp_call_mark(call);
        if (i < offset)
            continue;
        if (*count < call->number[TP_ASK_LIMIT]) {
            write_row(r);
            if (tp_call_fits(call, TAIL_BYTES)) {
                ++*count;
                continue;
            }
            tp_call_undo(call, mark); /* only whole rows */
        }
        *more = true;
        return SQLITE_DONE;
    }
    return code;
}

static enum tp_ask_code write_result(const struct running *r, const struct tp_cursor_key *key)
{
    struct tp_json *json = &r->call->json;
    bool more;
    int64_t count;
    if (!r->query->table) {
        tp_json_key(json, "columns");
        tp_json_array(json);
        for (int i = 0; i < sqlite3_column_count(r->statement); i++)
            tp_call_str(r->call, tp_str_of(sqlite3_column_name(r->statement, i)));
        tp_json_array_end(json);
    }
    tp_json_key(json, "rows");
    tp_json_array(json);
    int code = write_rows(r, key->offset, &more, &count);
    if (code != SQLITE_DONE)
        return fail(r, code);
    if (more && count == 0)
        return tp_call_fail(r->call, TP_ASK_TOO_LARGE, "raise max_bytes, or select fewer columns",
                            "one row does not fit into %lld bytes", (long long)r->call->number[TP_ASK_MAX_BYTES]);
    tp_json_array_end(json);
    tp_cursor_write(r->call, key, more ? key->offset + count : -1);
    tp_json_member_bool(json, "complete", !more);
    return TP_ASK_ANSWERED;
}

/* ---- the query ---- */

/* Returns whether only white space, semicolons and comments follow the statement. */
static bool is_blank(const char *tail, const char *end)
{
    while (tail < end) {
        if (tail[0] == '-' && end - tail > 1 && tail[1] == '-') {
            while (tail < end && *tail != '\n')
                tail++;
        } else if (*tail == ';' || isspace((unsigned char)*tail)) {
            tail++;
        } else {
            return false;
        }
    }
    return true;
}

static void bind_values(const struct running *r)
{
    const struct tp_where *where = r->query->where;
    for (unsigned i = 0; where && i < where->count; i++) {
        const struct tp_where_term *term = &where->terms[i];
        int at = (int)i + 1;
        if (term->is_text)
            sqlite3_bind_text64(r->statement, at, term->text.ptr, term->text.len, SQLITE_STATIC, SQLITE_UTF8);
        else if (term->is_integer)
            sqlite3_bind_int64(r->statement, at, term->integer);
        else
            sqlite3_bind_double(r->statement, at, term->real);
    }
}

static enum tp_ask_code run(struct running *r, const struct tp_cursor_key *key)
{
    struct tp_str sql = r->query->sql;
    const char *tail = sql.ptr + sql.len;
    int code = sqlite3_prepare_v3(r->db, sql.ptr, (int)sql.len, 0, &r->statement, &tail);
    if (code != SQLITE_OK)
        return fail(r, code);
    if (!r->statement)
        return tp_call_fail(r->call, TP_ASK_SQL_ERROR, "", "the query is empty");
    if (!is_blank(tail, sql.ptr + sql.len))
        return tp_call_fail(r->call, TP_ASK_SQL_ERROR, "", "one statement at a time");
    if (!sqlite3_stmt_readonly(r->statement) || sqlite3_column_count(r->statement) == 0)
        return tp_call_fail(r->call, TP_ASK_NOT_ALLOWED, "", "only queries that read the tables are allowed");
    bind_values(r);
    return write_result(r, key);
}

enum tp_ask_code tp_input_database_query(struct tp_ask_call *call, const struct tp_input_database_query *query,
                                         const struct tp_cursor_key *key)
{
    enum { OPERATIONS = 10000 };
    struct running running = {.call = call, .query = query, .db = call->input->database};
    set_end(&running);
    sqlite3_progress_handler(running.db, OPERATIONS, is_stopped, &running);
    enum tp_ask_code code = run(&running, key);
    sqlite3_finalize(running.statement);
    sqlite3_progress_handler(running.db, 0, NULL, NULL);
    return code;
}

/* ---- names of tables ---- */

static sqlite3_stmt *prepare(const struct tp_ask_call *call, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(call->input->database, sql, -1, &statement, NULL);
    return statement;
}

const char *tp_input_database_table_names(struct tp_ask_call *call)
{
    struct tp_buf names;
    tp_buf_init(&names, 0);
    sqlite3_stmt *statement = prepare(
        call, "SELECT name FROM sqlite_master WHERE type IN ('table','view') AND name NOT LIKE '%\\_rows' ESCAPE "
              "'\\' ORDER BY name");
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
        tp_buf_printf(&names, "%s%s", names.size ? ", " : "", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return names.size ? tp_buf_move(&names, call->arena) : "";
}

enum tp_ask_code tp_input_database_has_row(bool *has, struct tp_ask_call *call, const char *sql, struct tp_str name)
{
    sqlite3 *db = call->input->database;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK && name.ptr)
        code = sqlite3_bind_text64(statement, 1, name.ptr, name.len, SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    *has = code == SQLITE_ROW;
    sqlite3_finalize(statement);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return TP_ASK_ANSWERED;
    return tp_call_fail(call, TP_ASK_TOO_LARGE, "", "%s", sqlite3_errstr(code));
}

enum tp_ask_code tp_input_database_has_table(bool *has, struct tp_ask_call *call, struct tp_str name)
{
    return tp_input_database_has_row(has, call,
                                     "SELECT 1 FROM sqlite_master WHERE type IN ('table','view') AND name = ?", name);
}
