/* What `tracepress table` shows of one profile: rows of key_averages, of Python functions, or of operators, those that
 * are shown and their order. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H

#include "webreport/measure/program/program_view.h"
#include "webreport/measure/torch_tables/key_averages.h"
#include "webreport/measure/torch_tables/operator_calls.h"
#include "webreport/measure/torch_tables/python_calls.h"
#include "writer/base/table.h"

/* What the rows are. */
enum tp_table_kind {
    TP_TABLE_KEYS,      /* key_averages() */
    TP_TABLE_FUNCTIONS, /* cProfile's */
    TP_TABLE_OPERATORS, /* MegEngine's profile_analyze */
    /* of a program recorded from outside; of other traces FUNCTIONS are cProfile's, and there are none of the others */
    TP_TABLE_PROGRAM_FUNCTIONS,
    TP_TABLE_PROGRAM_PROCESSES,
    TP_TABLE_PROGRAM_WAITS
};

/* Start from TP_TABLE_OPTIONS. */
struct tp_table_options {
    enum tp_table_kind kind;
    struct tp_key_options keys;
    struct tp_operator_options operators;
    const char *sort_by; /* "none": as they are; NULL: self device time when there is any, else self CPU time */
    int64_t row_limit;   /* negative: all; of operators: operators.top */
    bool top_level_events_only;
};

#define TP_TABLE_OPTIONS ((struct tp_table_options){.row_limit = 100})

/* The rows of a profile; of averages, calls, operators and program the one of its kind is there. */
struct tp_profile_table {
    enum tp_table_kind kind;
    struct tp_str label; /* what tells the profile apart from the others of its run */
    struct tp_str file;  /* base name of the input */
    bool is_one_of_many; /* there are other inputs */
    const char *sort_by; /* as asked for */
    const struct tp_key_averages *averages;
    const struct tp_calls *calls;
    const struct tp_operator_calls *operators;
    const struct tp_table *program; /* rows of the program's view, all of them */
    const uint32_t *order; /* all rows, sorted */
    const uint32_t *shown; /* rows that are shown, sorted */
    size_t shown_count;
    int64_t row_limit;          /* as asked for */
    bool top_level_events_only; /* likewise */
};

/* Builds it in `arena` (guard set by the caller); names are the caller's to set. The trace must outlive it. false:
 * there is no such order. */
bool tp_profile_table_build(struct tp_profile_table *table, const struct tp_trace *trace,
                            const struct tp_table_options *options, struct tp_arena *arena);

/* The rows that are shown with every column, for programs. In `arena`. */
struct tp_table *tp_profile_table_rows(const struct tp_profile_table *table, struct tp_arena *arena);

/* Columns of the kind's rows; *count: how many. Names are part of the interface. Static. */
const struct tp_column_def *tp_profile_table_columns(enum tp_table_kind kind, unsigned *count);

/* ---- key_averages as a table (key_averages_table.c) ---- */

enum tp_key_column {
    TP_KEY_COLUMN_NAME,
    TP_KEY_COLUMN_KIND,
    TP_KEY_COLUMN_ANNOTATION,
    TP_KEY_COLUMN_ASYNC,
    TP_KEY_NUMBERS, /* twelve of them */
    TP_KEY_COLUMN_SHAPES = TP_KEY_NUMBERS + 12,
    TP_KEY_COLUMN_STACK,
    TP_KEY_COLUMNS
};
extern const struct tp_column_def tp_key_columns[TP_KEY_COLUMNS];

struct tp_table *tp_key_averages_table(const struct tp_key_averages *averages, const uint32_t *rows, size_t count,
                                       struct tp_arena *arena);
/* Self times of all rows, shown or not; device times of those that add up. */
void tp_key_averages_sum(const struct tp_key_averages *averages, int64_t *cpu_ns, int64_t *device_ns);

#endif
