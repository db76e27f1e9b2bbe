/* A table of rows of an export: its columns and cells, and what all rows are made of. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_ROWS_TABLE_H
#define TP_WEBREPORT_EXPORT_ROWS_ROWS_TABLE_H

#include "webreport/export/chrome/flow_links.h"
#include "webreport/measure/memory/memory_records.h"
#include "webreport/measure/views/task_view.h"
#include "webreport/measure/work/work_costs.h"

enum { TP_ROWS_MAX_COLUMNS = 24 };

enum tp_rows_type { TP_ROWS_INT, TP_ROWS_REAL, TP_ROWS_TEXT };

struct tp_rows_column {
    const char *name; /* ends with its unit: start_ns */
    enum tp_rows_type type;
    const char *definition;
    bool is_indexed; /* queries search by it */
};

/* A cell; the type of its column selects the member. Absent: TP_NULL_INT, NaN, ptr NULL. */
struct tp_rows_cell {
    int64_t integer;
    double real;
    struct tp_str text;
};

struct tp_program_rows;

/* The sources of rows; everything is in the arena of the export. */
struct tp_rows {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_links links;
    struct tp_memory_records memory;
    struct tp_task_view tasks;
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    struct tp_str *threads, *processes; /* by thread: its number and that of its process as texts */
    struct tp_program_rows *program;    /* for a program recorded from outside (program_rows.h); else NULL */
    int64_t first_ns;                   /* origin of all times */
};

struct tp_rows_table {
    const char *name, *definition;
    const struct tp_rows_column *columns;
    unsigned column_count;
    uint32_t (*count)(const struct tp_rows *rows);
    /* Fills column_count cells of a row; texts live as long as the arena. */
    void (*fill)(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells);
};

#endif
