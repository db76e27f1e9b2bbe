/* The table of one profile for `tracepress table`: rows of key_averages, of Python functions, or of operators; which of
 * them are shown, and in which order. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H

#include "webreport/measure/program/program_view.h"
#include "webreport/measure/torch_tables/key_averages.h"
#include "webreport/measure/torch_tables/operator_calls.h"
#include "webreport/measure/torch_tables/python_calls.h"
#include "writer/base/table.h"

/* Kinds of rows. */
enum tp_table_kind {
    TP_TABLE_KEYS,      /* key_averages() */
    TP_TABLE_FUNCTIONS, /* cProfile's functions */
    TP_TABLE_OPERATORS, /* MegEngine's profile_analyze */
    /* programs recorded from outside; for other traces FUNCTIONS means cProfile's, and the other kinds are empty */
    TP_TABLE_PROGRAM_FUNCTIONS,
    TP_TABLE_PROGRAM_PROCESSES,
    TP_TABLE_PROGRAM_WAITS
};

/* Start from TP_TABLE_OPTIONS. */
struct tp_table_options {
    enum tp_table_kind kind;
    struct tp_key_options keys;
    struct tp_operator_options operators;
    const char *sort_by; /* "none": no sorting; NULL: by self device time if there is any, else by self CPU time */
    int64_t row_limit;   /* negative: all; operators use operators.top */
    bool top_level_events_only;
};

#define TP_TABLE_OPTIONS ((struct tp_table_options){.row_limit = 100})

/* The rows of a profile. Of averages, calls, operators and program only the one for the kind is set. */
struct tp_profile_table {
    enum tp_table_kind kind;
    struct tp_str label; /* text that distinguishes the profile from the others of its run */
    struct tp_str file;  /* base name of the input */
    bool is_one_of_many; /* there are other inputs */
    const char *sort_by; /* as in the options */
    const struct tp_key_averages *averages;
    const struct tp_calls *calls;
    const struct tp_operator_calls *operators;
    const struct tp_table *program; /* all rows of the program's view */
    const uint32_t *order;          /* all rows, sorted */
    const uint32_t *shown;          /* shown rows, sorted */
    size_t shown_count;
    int64_t row_limit;          /* as in the options */
    bool top_level_events_only; /* as in the options */
};

/* Builds the rows in `arena` (guard set by the caller); the caller sets label and file. The trace must outlive them.
 * Returns false if there is no such order. */
bool tp_profile_table_build(struct tp_profile_table *table, const struct tp_trace *trace,
                            const struct tp_table_options *options, struct tp_arena *arena);

/* Returns the shown rows with every column, for other programs. In `arena`. */
struct tp_table *tp_profile_table_rows(const struct tp_profile_table *table, struct tp_arena *arena);

/* Returns the columns of the kind's rows; *count is their number. Names are part of the interface. Static. */
const struct tp_column_def *tp_profile_table_columns(enum tp_table_kind kind, unsigned *count);

/* ---- key_averages as a table (key_averages_table.c) ---- */

enum tp_key_column {
    TP_KEY_COLUMN_NAME,
    TP_KEY_COLUMN_KIND,
    TP_KEY_COLUMN_ANNOTATION,
    TP_KEY_COLUMN_ASYNC,
    TP_KEY_NUMBERS, /* twelve numbers */
    TP_KEY_COLUMN_SHAPES = TP_KEY_NUMBERS + 12,
    TP_KEY_COLUMN_STACK,
    TP_KEY_COLUMNS
};
extern const struct tp_column_def tp_key_columns[TP_KEY_COLUMNS];

struct tp_table *tp_key_averages_table(const struct tp_key_averages *averages, const uint32_t *rows, size_t count,
                                       struct tp_arena *arena);
/* Adds up the self times of all rows, shown or not; device times only of rows that count for the total. */
void tp_key_averages_sum(const struct tp_key_averages *averages, int64_t *cpu_ns, int64_t *device_ns);

#endif
