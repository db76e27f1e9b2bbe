/* The table of one profile for `tracepress table`: rows of key_averages, of Python functions, or of operators. The
 * table also has the indexes of the shown rows, in the order in which they are shown. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_PROFILE_TABLE_H

#include "webreport/measure/program/program_view.h"
#include "webreport/measure/torch_tables/key_averages.h"
#include "webreport/measure/torch_tables/operator_calls.h"
#include "webreport/measure/torch_tables/python_calls.h"
#include "webreport/measure/views/range_times.h"
#include "writer/base/table.h"

/* Kinds of tables; each kind has its own rows. */
enum tp_table_kind {
    TP_TABLE_KEYS,      /* rows of torch's key_averages() */
    TP_TABLE_FUNCTIONS, /* functions as cProfile counts them */
    TP_TABLE_OPERATORS, /* operators as MegEngine's profile_analyze counts them */
    /* tables of programs recorded from outside. For other traces, FUNCTIONS means TP_TABLE_FUNCTIONS, and the other
     * kinds are empty */
    TP_TABLE_PROGRAM_FUNCTIONS,
    TP_TABLE_PROGRAM_PROCESSES,
    TP_TABLE_PROGRAM_WAITS,
    TP_TABLE_RANGES, /* ranges with device time (range_times.h) */
    TP_TABLE_LIVE    /* live blocks of a memory snapshot (live_rows.h), which tp_profile_table_build does not build */
};

/* Options of a table. Initialize them with TP_TABLE_OPTIONS. */
struct tp_table_options {
    enum tp_table_kind kind;
    struct tp_key_options keys;
    struct tp_operator_options operators;
    /* column to sort by; "none": no sorting; NULL: self device time if there is any, else self CPU time */
    const char *sort_by;
    int64_t row_limit; /* largest number of rows; negative: all rows. Tables of operators use operators.top instead */
    bool top_level_events_only;
};

#define TP_TABLE_OPTIONS ((struct tp_table_options){.row_limit = 100})

/* The rows of one profile. The members averages, calls, operators and program are NULL, except the member for
 * `kind`. */
struct tp_profile_table {
    enum tp_table_kind kind;
    struct tp_str label; /* text that distinguishes the profile from other profiles of its run */
    struct tp_str file;  /* base name of the input */
    bool is_one_of_many; /* true: the command has several inputs */
    const char *sort_by; /* order of the rows, copied from the options */
    const struct tp_key_averages *averages;
    const struct tp_calls *calls;
    const struct tp_operator_calls *operators;
    const struct tp_table *program; /* table with all rows of the program's view, of ranges, or of live blocks */
    const uint32_t *order;          /* indexes of all rows, in sorted order */
    const uint32_t *shown;          /* indexes of the shown rows, in sorted order */
    size_t shown_count;
    int64_t row_limit;          /* largest number of shown rows, copied from the options */
    bool top_level_events_only; /* true: only rows of top-level events are shown; copied from the options */
};

/* Builds the rows in `arena` (guard set by the caller). The trace must outlive the rows. The caller sets label and
 * file. Returns false if options->sort_by is unknown. */
bool tp_profile_table_build(struct tp_profile_table *table, const struct tp_trace *trace,
                            const struct tp_table_options *options, struct tp_arena *arena);

/* Returns a table for other programs, with the shown rows and every column. The table is in the arena. */
struct tp_table *tp_profile_table_rows(const struct tp_profile_table *table, struct tp_arena *arena);

/* Returns the columns of a kind of table, and sets *count to their number. The names of columns are an interface and
 * must not change. The array is static. */
const struct tp_column_def *tp_profile_table_columns(enum tp_table_kind kind, unsigned *count);

/* ---- key_averages as a table (key_averages_table.c) ---- */

enum tp_key_column {
    TP_KEY_COLUMN_NAME,
    TP_KEY_COLUMN_KIND,
    TP_KEY_COLUMN_ANNOTATION,
    TP_KEY_COLUMN_ASYNC,
    TP_KEY_NUMBERS, /* this column and the next eleven contain numbers */
    TP_KEY_COLUMN_SHAPES = TP_KEY_NUMBERS + 12,
    TP_KEY_COLUMN_STACK,
    TP_KEY_COLUMNS
};
extern const struct tp_column_def tp_key_columns[TP_KEY_COLUMNS];

struct tp_table *tp_key_averages_table(const struct tp_key_averages *averages, const uint32_t *rows, size_t count,
                                       struct tp_arena *arena);
/* Adds up the self times of all rows, including rows that are not shown. Only rows with tp_key_row_adds_device add
 * device time. */
void tp_key_averages_sum(const struct tp_key_averages *averages, int64_t *cpu_ns, int64_t *device_ns);

#endif
