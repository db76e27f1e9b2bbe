/* The database of an input, and queries of it. Queries can only read: see docs/ask.md. */
#ifndef TP_WEBREPORT_ASK_INPUT_DATABASE_H
#define TP_WEBREPORT_ASK_INPUT_DATABASE_H

#include "webreport/ask/cursor.h"
#include "webreport/ask/tables.h"
#include "webreport/ask/where.h"

/* Opens the database of call->input, which is made if it does not exist. Returns TP_ASK_ANSWERED or the reason of a
 * failure. */
enum tp_ask_code tp_input_database_open(struct tp_ask_call *call);
void tp_input_database_close(struct tp_ask_input *input);

/* A query. */
struct tp_input_database_query {
    struct tp_str sql;                /* one statement */
    const struct tp_where *where;     /* values of the parameters of the statement; NULL if it has none */
    const struct tp_ask_table *table; /* the rows are objects with the columns of this table; NULL: they are lists */
};

/* Runs the query and writes the members "columns", "rows", "next_cursor" and "complete" into the answer, from the row
 * that `key` names; as many rows as TP_ASK_LIMIT and TP_ASK_MAX_BYTES allow. The database must be open. Returns
 * TP_ASK_ANSWERED or the reason of a failure. */
enum tp_ask_code tp_input_database_query(struct tp_ask_call *call, const struct tp_input_database_query *query,
                                         const struct tp_cursor_key *key);

/* Lists the names of all tables and views of the database, as text for a hint: "args, events, ..". In call->arena. */
const char *tp_input_database_table_names(struct tp_ask_call *call);

/* Sets *has to whether a query, which is a text of this program, has a row. name: value of its parameter; ptr NULL
 * without one. Returns TP_ASK_ANSWERED or the reason of a failure. */
enum tp_ask_code tp_input_database_has_row(bool *has, struct tp_ask_call *call, const char *sql, struct tp_str name);

/* Does the same for the question whether the database has a table or view with this name, which may be any text. */
enum tp_ask_code tp_input_database_has_table(bool *has, struct tp_ask_call *call, struct tp_str name);

#endif
