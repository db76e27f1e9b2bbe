/* The tools `rows` and `sql`: rows of tables, and queries. */
#include "webreport/ask/completeness.h"
#include "webreport/ask/input_database.h"
#include "webreport/ask/tool.h"
#include "writer/text/format.h"

/* A table that only some recordings have. */
struct rare_table {
    const char *name, *reason;
};

static const struct rare_table rare_tables[] = {
    {"counters", "the recording has no counters of devices, such as power or clocks"},
    {"ranges", "the recording has no annotations and no modules"},
    {"flight", "this is no folder of Flight Recorder dumps"}, /* rows of dumps, once the tool reads them */
    {NULL, NULL}};

/* Returns why a recording may lack the table; NULL if no recording has it. */
static const char *find_reason(struct tp_ask_call *call, struct tp_str name, bool has_table)
{
    const struct tp_ask_table *measured = tp_ask_table_find(name);
    if (measured)
        return measured->reason;
    for (const struct rare_table *table = rare_tables; table->name; table++)
        if (tp_str_equal(name, tp_str_of(table->name)))
            return table->reason;
    return has_table ? tp_text_printf(call->arena, "the recording has no %.*s", (int)name.len, name.ptr) : NULL;
}

static void write_units(struct tp_ask_call *call, const struct tp_ask_table *table)
{
    tp_json_key(&call->json, "units");
    tp_json_object(&call->json);
    for (unsigned c = 0; c < table->column_count; c++)
        if (*table->defs[c].unit)
            tp_json_member_text(&call->json, table->defs[c].name, table->defs[c].unit);
    tp_json_object_end(&call->json);
}

static const char unit_rule[] = "columns end in their unit: _ns, _us, _bytes, _percent; others are counts";

/* Makes the statement. Columns are in brackets, so that SQLite never takes one as a text. */
static struct tp_str make_statement(struct tp_ask_call *call, struct tp_str table, const struct tp_where *where)
{
    struct tp_buf sql;
    tp_buf_init(&sql, 0);
    tp_buf_printf(&sql, "SELECT * FROM [%.*s]", (int)table.len, table.ptr);
    for (unsigned i = 0; i < where->count; i++)
        tp_buf_printf(&sql, "%s[%.*s] %s ?", i ? " AND " : " WHERE ", (int)where->terms[i].column.len,
                      where->terms[i].column.ptr, where->terms[i].comparison);
    return tp_str_of(tp_buf_move(&sql, call->arena));
}

static enum tp_ask_code write_absent(struct tp_ask_call *call, struct tp_str table, const char *reason)
{
    tp_call_begin(call);
    tp_call_member_str(call, "table", table);
    tp_call_absent(call, reason);
    tp_completeness_write(call, false);
    tp_json_object_end(&call->json);
    return TP_ASK_ANSWERED;
}

/* Writes the rows of a table that exists and is not empty. */
static enum tp_ask_code write_table(struct tp_ask_call *call, struct tp_str name, const struct tp_where *where)
{
    struct tp_cursor_key key;
    const struct tp_ask_table *measured = tp_ask_table_find(name);
    struct tp_str filter = call->text[TP_ASK_WHERE];
    const char *question =
        tp_text_printf(call->arena, "rows\n%.*s\n%.*s", (int)name.len, name.ptr, (int)filter.len, filter.ptr);
    if (measured && !tp_ask_table_fits(measured, call->input))
        measured = NULL;
    enum tp_ask_code code = tp_cursor_read(&key, call, tp_str_of(question));
    if (code != TP_ASK_ANSWERED)
        return code;
    tp_call_begin(call);
    tp_call_member_str(call, "table", name);
    tp_json_member_text(&call->json, "window",
                        measured && measured->is_of_steps ? call->input->step_window : "recording");
    if (measured) {
        write_units(call, measured);
        tp_json_member_text(&call->json, "definition", measured->definition);
    } else {
        tp_json_member_text(&call->json, "units", unit_rule);
    }
    tp_completeness_write(call, false);
    const struct tp_input_database_query query = {make_statement(call, name, where), where, measured};
    code = tp_input_database_query(call, &query, &key);
    tp_json_object_end(&call->json);
    if (code == TP_ASK_SQL_ERROR)
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "rows of the table documentation define the columns",
                            "where: the table has no such column");
    return code;
}

static bool is_word(struct tp_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!tp_is_word_character(name.ptr[i]))
            return false;
    return true;
}

/* Sets *has_table to whether the database has the table, and *has_rows to whether it has a row. */
static enum tp_ask_code find_table(bool *has_table, bool *has_rows, struct tp_ask_call *call, struct tp_str name)
{
    *has_table = *has_rows = false;
    enum tp_ask_code code = is_word(name) ? tp_input_database_has_table(has_table, call, name) : TP_ASK_ANSWERED;
    if (code != TP_ASK_ANSWERED || !*has_table)
        return code;
    const char *sql = tp_text_printf(call->arena, "SELECT 1 FROM [%.*s]", (int)name.len, name.ptr);
    return tp_input_database_has_row(has_rows, call, sql, (struct tp_str){NULL, 0});
}

enum tp_ask_code tp_tool_rows(struct tp_ask_call *call)
{
    struct tp_where where;
    struct tp_error err = {0};
    struct tp_str name = call->text[TP_ASK_TABLE];
    bool has_table, has_rows;
    enum tp_ask_code code = tp_input_database_open(call);
    if (code == TP_ASK_ANSWERED)
        code = find_table(&has_table, &has_rows, call, name);
    if (code != TP_ASK_ANSWERED)
        return code;
    if (tp_where_read(&where, call->text[TP_ASK_WHERE], call->arena, &err) < 0)
        return tp_call_fail(
            call, TP_ASK_BAD_ARGUMENT,
            "COLUMN OP VALUE [and ..]; OP: = != < > <= >= like; VALUE: a number or 'text'; for more, sql", "%s",
            err.text);
    const char *reason = find_reason(call, name, has_table);
    if (!reason)
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT,
                            tp_text_printf(call->arena, "tables: %s", tp_input_database_table_names(call)),
                            "no such table");
    return has_rows ? write_table(call, name, &where) : write_absent(call, name, reason);
}

enum tp_ask_code tp_tool_sql(struct tp_ask_call *call)
{
    struct tp_cursor_key key;
    struct tp_str query = call->text[TP_ASK_QUERY];
    enum tp_ask_code code = tp_input_database_open(call);
    if (code == TP_ASK_ANSWERED)
        code = tp_cursor_read(&key, call, query);
    if (code != TP_ASK_ANSWERED)
        return code;
    tp_call_begin(call);
    tp_json_member_text(&call->json, "window", "recording");
    tp_json_member_text(&call->json, "units", unit_rule);
    tp_completeness_write(call, false);
    code = tp_input_database_query(call, &(struct tp_input_database_query){query, NULL, NULL}, &key);
    tp_json_object_end(&call->json);
    return code;
}
