/* Implements compiled_rows.h. */
#include "webreport/export/rows/compiled_rows.h"

static const struct tp_rows_column columns[] = {
    {"kernel", TP_ROWS_TEXT, "name of the kernel or operator that the compiled code calls", true},
    {"family", TP_ROWS_TEXT, "name of a generated kernel without its number", false},
    {"key", TP_ROWS_TEXT, "name of the call in the artifacts of torch.compile", false},
    {"is_backward", TP_ROWS_INT, "1: the calls are part of the backward pass", false},
    {"region", TP_ROWS_TEXT, "name of the compiled graph or generated function", false},
    {"calls", TP_ROWS_INT, "number of calls", false},
    {"duration_ns", TP_ROWS_INT, "duration of the calls on the CPU, nanoseconds", false},
    {"device_ns", TP_ROWS_INT, "time of the device operations of the calls, nanoseconds", false},
    {"line", TP_ROWS_TEXT, "source line that the code of the calls comes from, or that calls the region", false},
    {"lines", TP_ROWS_TEXT, "all source lines that the code of the calls comes from, as JSON", false},
    {"via", TP_ROWS_TEXT, "inductor: artifacts of torch.compile name the line; caller: the line calls the region",
     false},
    {"nodes", TP_ROWS_TEXT, "nodes of the FX graph that the code of the calls comes from, as JSON", false},
};

static uint32_t count_rows(const struct tp_rows *rows)
{
    return (uint32_t)rows->compiled.calls.row_count;
}

static void fill_row(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    const struct tp_table *table = &rows->compiled.calls;
    for (unsigned i = 0; i < TP_COMPILED_COLUMNS; i++) {
        if (i == TP_COMPILED_BACKWARD)
            cells[i].integer = tp_table_bool(table, i)[row];
        else if (columns[i].type == TP_ROWS_INT)
            cells[i].integer = tp_table_int(table, i)[row];
        else
            cells[i].text = tp_table_text(table, i)[row];
    }
}

_Static_assert(sizeof columns / sizeof *columns == TP_COMPILED_COLUMNS, "the view has the same columns in this order");

const struct tp_rows_table tp_compiled_rows_table = {
    "compiled", "calls of code that torch.compile generated, with their source lines",
    columns,    sizeof columns / sizeof *columns,
    count_rows, fill_row};
