/* The measured tables of an input: results of its analysis as rows. The table of SQLite (input_database.c) has them
 * next to the tables of `export --to sqlite`. */
#ifndef TP_WEBREPORT_ASK_TABLES_H
#define TP_WEBREPORT_ASK_TABLES_H

#include "webreport/ask/ask_input.h"
#include "writer/base/table.h"

struct tp_ask_table {
    const char *name;
    bool is_of_steps;       /* true: the numbers refer to the used steps; false: to the recording */
    const char *definition; /* one sentence; the columns have their own definitions */
    const char *reason;     /* why an input has no such table, as a sentence */
    bool is_for_traces, is_for_summaries;
    /* Builds the rows in `arena`, whose guard is set. Without rows, an input does not have the table. */
    void (*build)(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena);
    const struct tp_column_def *defs;
    unsigned column_count;
};

/* all measured tables; the last entry has the name NULL */
extern const struct tp_ask_table tp_ask_tables[];

/* Returns the table with this name; NULL if none exists. */
const struct tp_ask_table *tp_ask_table_find(struct tp_str name);

/* Returns whether inputs of the kind of `input` can have the table. */
bool tp_ask_table_fits(const struct tp_ask_table *table, const struct tp_ask_input *input);

#endif
