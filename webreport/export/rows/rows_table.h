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
    const char *name; /* unit last: start_ns */
    enum tp_rows_type type;
    const char *definition;
    bool is_indexed; /* queries look for it */
};

/* The member of the column's type counts. Absent: TP_NULL_INT, NaN, ptr NULL. */
struct tp_rows_cell {
    int64_t integer;
    double real;
    struct tp_str text;
};

struct tp_program_rows;

/* What rows are made of; everything in the arena of the export. */
struct tp_rows {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_links links;
    struct tp_memory_records memory;
    struct tp_task_view tasks;
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    struct tp_str *threads, *processes; /* by thread: as texts */
    struct tp_program_rows *program;    /* of a program recorded from outside (program_rows.h); NULL: it is none */
    int64_t first_ns;                   /* what all times are relative to */
};

struct tp_rows_table {
    const char *name, *definition;
    const struct tp_rows_column *columns;
    unsigned column_count;
    uint32_t (*count)(const struct tp_rows *rows);
    /* Fills column_count cells; texts live as long as the arena. */
    void (*fill)(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells);
};

#endif
