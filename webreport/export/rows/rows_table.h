/* Defines a table of an export: its columns, its cells, and the data from which the rows are computed. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_ROWS_TABLE_H
#define TP_WEBREPORT_EXPORT_ROWS_ROWS_TABLE_H

#include "webreport/export/chrome/flow_links.h"
#include "webreport/measure/memory/memory_records.h"
#include "webreport/measure/result/advice.h"
#include "webreport/measure/streams/stream_view.h"
#include "webreport/measure/views/compiled_view.h"
#include "webreport/measure/views/counter_view.h"
#include "webreport/measure/views/kernel_view.h"
#include "webreport/measure/views/range_times.h"
#include "webreport/measure/views/task_view.h"
#include "webreport/measure/work/work_costs.h"

enum { TP_ROWS_MAX_COLUMNS = 24 };

enum tp_rows_type { TP_ROWS_INT, TP_ROWS_REAL, TP_ROWS_TEXT };

struct tp_rows_column {
    const char *name; /* name of the column; the unit is its last word, as in start_ns */
    enum tp_rows_type type;
    const char *definition;
    /* true: the SQLite database has an index on the column, because queries often search by the column. A first column
     * with different numbers in all rows is the primary key */
    bool is_indexed;
};

/* A cell. The type of its column selects the member. A missing value is TP_NULL_INT, NaN, or a text whose ptr is NULL.
 */
struct tp_rows_cell {
    int64_t integer;
    double real;
    struct tp_str text;
};

struct tp_program_rows;
struct tp_snapshot_rows;

/* Data from which the rows of all tables are computed. All memory belongs to the arena of the export. */
struct tp_rows {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_links links;
    struct tp_memory_records memory;
    struct tp_task_view tasks;
    struct tp_range_times ranges;
    struct tp_compiled_view compiled;
    struct tp_counter_view counters;
    struct tp_what_if_view what_if;
    struct tp_stream_view streams;
    struct tp_table kernel_durations; /* enum tp_kernel_duration_column */
    struct tp_kernel_view kernels;    /* without kernels by configuration */
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    /* for each thread: thread number and process number, as texts */
    struct tp_str *threads, *processes;
    /* data of a program that was recorded from outside (program_rows.h); NULL for other traces */
    struct tp_program_rows *program;
    /* data of a memory snapshot (snapshot_rows.h), which then is the only data; NULL for traces */
    struct tp_snapshot_rows *snapshot;
    int64_t first_ns; /* start of the time axis, ns; all exported times are relative to this time */
};

struct tp_rows_table {
    const char *name, *definition;
    const struct tp_rows_column *columns;
    unsigned column_count;
    uint32_t (*count)(const struct tp_rows *rows);
    /* Fills the column_count cells of a row. Texts live until the arena is released. */
    void (*fill)(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells);
};

/* Fills a cell for each column of a table of the report, which has only texts, words, integers, times and reals. */
static inline void tp_rows_fill_from_table(struct tp_rows_cell *cells, const struct tp_table *table, uint32_t row)
{
    for (unsigned i = 0; i < table->column_count; i++) {
        enum tp_column_type type = table->defs[i].type;
        if (type == TP_COLUMN_TEXT || type == TP_COLUMN_WORD)
            cells[i].text = tp_table_text(table, i)[row];
        else if (type == TP_COLUMN_REAL)
            cells[i].real = tp_table_real(table, i)[row];
        else
            cells[i].integer = tp_table_int(table, i)[row];
    }
}

#endif
