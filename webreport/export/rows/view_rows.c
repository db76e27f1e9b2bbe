/* Implements view_rows.h. */
#include "webreport/export/rows/view_rows.h"

#define INT TP_ROWS_INT
#define REAL TP_ROWS_REAL
#define TEXT TP_ROWS_TEXT

static const struct tp_rows_column stream_columns[] = {
    {"device", INT, "number of the device", false},
    {"stream", INT, "number of the stream", false},
    {"operations", INT, "number of device operations on the stream", false},
    {"queue_changes", INT, "number of launches and starts that change the length of the queue", false},
    {"mean_queue", REAL, "mean number of launched operations that have not started, over time", false},
    {"mean_queue_at_changes", REAL, "mean length of the queue after each change", false},
    {"median_queue", INT, "median length of the queue after each change", false},
    {"p75_queue", INT, "the queue has at most this length after 75 % of the changes", false},
    {"max_queue", INT, "largest number of operations in the queue", false},
    {"min_queue", INT, "smallest number; below 0 if the clocks of host and device differ", false},
    {"near_max_ns", INT, "time in which the queue has at least 90 % of its largest length, nanoseconds", false},
    {"idle_host_ns", INT, "gaps of the stream before the host launches the next operation, nanoseconds", false},
    {"idle_short_ns", INT, "other gaps of the stream below 30 microseconds, nanoseconds", false},
    {"idle_other_ns", INT, "other gaps of the stream from 30 microseconds on, nanoseconds", false},
};

static const struct tp_rows_column delay_columns[] = {
    {"kind", TEXT, "kind of the operations: all, kernel, copy, memset or graph", false},
    {"operations", INT, "number of operations whose launch is known; of a graph, only the first one", false},
    {"p50_ns", INT, "median time from the end of the launch to the start of the operation, nanoseconds", false},
    {"p90_ns", INT, "90 % of the delays are at most this long, nanoseconds", false},
    {"p99_ns", INT, "99 % of the delays are at most this long, nanoseconds", false},
    {"max_ns", INT, "longest delay, nanoseconds", false},
    {"shorter_than_call", INT, "number of operations that take less time than their launches", false},
};

static const struct tp_rows_column duration_columns[] = {
    {"from_ns", INT, "shortest duration of the row, nanoseconds; the next row has the longer kernels", false},
    {"kernels", INT, "number of kernels with such a duration", false},
    {"time_ns", INT, "sum of the durations of these kernels, nanoseconds", false},
    {"call_ns", INT, "time of the calls that launched one of these kernels and nothing else, nanoseconds", false},
};

static const struct tp_rows_column copy_columns[] = {
    {"name", TEXT, "name of the copies or memsets, with direction and kinds of memory", true},
    {"calls", INT, "number of copies or memsets", false},
    {"total_ns", INT, "sum of their durations, nanoseconds", false},
    {"total_bytes", INT, "bytes copied or set; null if unknown", false},
    {"rate_gb_per_s", REAL, "bytes divided by the time of the operations, 10^9 bytes per second", false},
    {"p50_gb_per_s", REAL, "median rate of single operations, 10^9 bytes per second", false},
    {"p99_gb_per_s", REAL, "99 % of the operations have at most this rate, 10^9 bytes per second", false},
    {"max_gb_per_s", REAL, "largest rate of an operation, 10^9 bytes per second", false},
};

static void fill_cells(const struct tp_table *table, uint32_t row, struct tp_rows_cell *cells)
{
    for (unsigned i = 0; i < table->column_count; i++)
        if (table->defs[i].type == TP_COLUMN_REAL)
            cells[i].real = tp_table_real(table, i)[row];
        else if (table->defs[i].type == TP_COLUMN_WORD)
            cells[i].text = tp_table_text(table, i)[row];
        else
            cells[i].integer = tp_table_int(table, i)[row];
}

static uint32_t count_streams(const struct tp_rows *rows)
{
    return (uint32_t)rows->streams.streams.row_count;
}

static void fill_stream(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    fill_cells(&rows->streams.streams, row, cells);
}

static uint32_t count_delays(const struct tp_rows *rows)
{
    return (uint32_t)rows->streams.delays.by_kind.row_count;
}

static void fill_delay(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    fill_cells(&rows->streams.delays.by_kind, row, cells);
}

static uint32_t count_durations(const struct tp_rows *rows)
{
    return (uint32_t)rows->kernel_durations.row_count;
}

static void fill_duration(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    fill_cells(&rows->kernel_durations, row, cells);
}

static uint32_t count_copies(const struct tp_rows *rows)
{
    return (uint32_t)rows->kernels.copies.row_count;
}

static void fill_copy(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    const struct tp_table *copies = &rows->kernels.copies;
    cells[0].text = tp_table_text(copies, TP_COPY_NAME)[row];
    cells[1].integer = tp_table_int(copies, TP_COPY_CALLS)[row];
    cells[2].integer = tp_table_int(copies, TP_COPY_TOTAL)[row];
    cells[3].integer = tp_table_int(copies, TP_COPY_BYTES)[row];
    for (unsigned i = 0; i < 4; i++)
        cells[4 + i].real = tp_table_real(copies, TP_COPY_RATE + i)[row];
}

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

_Static_assert(sizeof stream_columns / sizeof *stream_columns == TP_STREAM_COLUMNS, "each column is exported");
_Static_assert(sizeof delay_columns / sizeof *delay_columns == TP_DELAY_COLUMNS, "each column is exported");
_Static_assert(sizeof duration_columns / sizeof *duration_columns == TP_DURATION_COLUMNS, "each column is exported");

const struct tp_rows_table tp_view_rows_tables[] = {
    {"streams", "queue length and idle time of each stream", COLUMNS(stream_columns), count_streams, fill_stream},
    {"launch_delays", "time from the launch to the start, by kind of operation", COLUMNS(delay_columns), count_delays,
     fill_delay},
    {"kernel_durations", "kernels by duration", COLUMNS(duration_columns), count_durations, fill_duration},
    {"copies", "copies and memsets by name, with their rates", COLUMNS(copy_columns), count_copies, fill_copy},
    {.name = NULL},
};
