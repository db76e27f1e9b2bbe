/* Implements counter_rows.h. */
#include "webreport/export/rows/counter_rows.h"

#include "writer/base/saturate.h"

#define INT TP_ROWS_INT
#define REAL TP_ROWS_REAL
#define TEXT TP_ROWS_TEXT

static const struct tp_rows_column sample_columns[] = {
    {"device", INT, "number of the device", false},
    {"name", TEXT, "name of the counter with its unit, such as Power (W)", true},
    {"time_ns", INT, "time of the sample, nanoseconds since the first event", true},
    {"value", REAL, "value of the sample, in the unit of the counter", false},
};

static const struct tp_rows_column step_columns[] = {
    {"device", INT, "number of the device", false},
    {"step", TEXT, "name of the step", true},
    {"length_ns", INT, "length of the step, nanoseconds", false},
    {"energy_joules", REAL, "integral of the power over the step; null below 200 ms", false},
    {"mean_watts", REAL, "energy divided by the length of the step", false},
    {"high_clock_percent", REAL, "share of the busy time with at least 95 % of the highest clock", false},
    {"low_clock_ns", INT, "busy time with a lower clock, nanoseconds", false},
    {"power_limit_ns", INT, "part of it with at least 98 % of the highest power, nanoseconds", false},
    {"heat_limit_ns", INT, "part of it with at least 85 degrees Celsius, nanoseconds", false},
};
_Static_assert(sizeof step_columns / sizeof *step_columns == TP_COUNTER_STEP_COLUMNS, "each column is exported");

static uint32_t count_samples(const struct tp_rows *rows)
{
    return rows->model->trace->input.counter_count;
}

static void fill_sample(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    const struct tp_trace *trace = rows->model->trace;
    const struct tp_device_counter *sample = &trace->input.counters[row];
    cells[0].integer = sample->device;
    cells[1].text = tp_strings_get(&trace->texts, sample->name);
    cells[2].integer = tp_sat_sub(sample->ts_ns, rows->first_ns);
    cells[3].real = sample->value;
}

static uint32_t count_steps(const struct tp_rows *rows)
{
    return (uint32_t)rows->counters.steps.row_count;
}

static void fill_step(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cells)
{
    tp_rows_fill_from_table(cells, &rows->counters.steps, row);
}

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

const struct tp_rows_table tp_counter_rows_tables[] = {
    {"counters", "samples of the counters of devices", COLUMNS(sample_columns), count_samples, fill_sample},
    {"counter_steps", "energy and clock of each device by analysed step", COLUMNS(step_columns), count_steps,
     fill_step},
    {.name = NULL},
};
