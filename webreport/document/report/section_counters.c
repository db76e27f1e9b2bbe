/* Makes the section of the counters of devices, such as power and clocks: statistics, the energy and clock
 * of each step, and a line for each counter. */
#include <math.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column COLUMNS[] = {{TP_SHOW_COUNT, TP_DEVICE_COUNTER_SAMPLES, NULL, 0, 0, false, 0},
                                                 {TP_SHOW_REAL, TP_DEVICE_COUNTER_MIN, NULL, 0, 1, false, 0},
                                                 {TP_SHOW_REAL, TP_DEVICE_COUNTER_MEAN, NULL, 0, 1, false, 0},
                                                 {TP_SHOW_REAL, TP_DEVICE_COUNTER_MAX, NULL, 0, 1, false, 0}};

static const struct tp_shown_column STEP_COLUMNS[] = {
    {TP_SHOW_REAL, TP_COUNTER_STEP_ENERGY, NULL, 0, 1, false, 0},
    {TP_SHOW_REAL, TP_COUNTER_STEP_WATTS, NULL, 0, 1, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_COUNTER_STEP_LOW_CLOCK, NULL, 1, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_COUNTER_STEP_POWER_LIMIT, NULL, 1, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_COUNTER_STEP_HEAT_LIMIT, NULL, 1, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_COUNTER_STEP_LENGTH, NULL, 1, 0, false, TP_SHOWN_LESS}};

/* The samples of one row of the view. */
struct row_samples {
    const struct tp_counter_view *view;
    const struct tp_device_counter *counters; /* all samples of the trace */
    size_t row;
};

static bool next_sample(const void *context, uint32_t *cursor, struct tp_counter_value *value)
{
    const struct row_samples *samples = context;
    uint32_t at = samples->view->first_samples[samples->row] + (*cursor)++;
    if (at >= samples->view->first_samples[samples->row + 1])
        return false;
    const struct tp_device_counter *sample = &samples->counters[samples->view->samples[at]];
    *value = (struct tp_counter_value){sample->ts_ns, sample->value};
    return true;
}

/* Returns "Power (W) of GPU 0". */
static const char *counter_title(const struct tp_section *section, size_t row)
{
    const struct tp_table *counters = &section->profile->views->counters.counters;
    struct tp_str name = tp_shown_text(&section->naming, tp_table_text(counters, TP_DEVICE_COUNTER_NAME)[row]);
    int64_t device = tp_table_int(counters, TP_DEVICE_COUNTER_DEVICE)[row];
    return tp_text_printf(section->arena, "%.*s of %s", (int)name.len, name.ptr,
                          tp_section_device_name(section, device));
}

static void put_lines(const struct tp_section *section, struct tp_object *object)
{
    enum { MOST = 16 };
    const struct tp_counter_view *view = &section->profile->views->counters;
    struct tp_arena *arena = section->arena;
    struct tp_list *charts = tp_object_add_list(object, "charts");
    for (size_t row = 0; view->samples && row < view->counters.row_count && row < MOST; row++) {
        const struct row_samples samples = {view, section->profile->trace->input.counters, row};
        const double *low = tp_table_real(&view->counters, TP_DEVICE_COUNTER_MIN),
                     *high = tp_table_real(&view->counters, TP_DEVICE_COUNTER_MAX),
                     *mean = tp_table_real(&view->counters, TP_DEVICE_COUNTER_MEAN);
        const struct tp_counter_line line = {section->profile->model, low[row], high[row], next_sample, &samples};
        struct tp_object *chart = tp_list_add_object(charts);
        const char *title = counter_title(section, row);
        tp_object_add_text(chart, "counter", title);
        tp_object_add_text(chart, "values", tp_text_printf(arena, "mean %.6g", mean[row]));
        tp_object_add_text(chart, "chart_label",
                           tp_text_printf(arena, "%s over time, from %.6g to %.6g", title, low[row], high[row]));
        tp_chart_put_counter(chart, arena, &line);
    }
    if (view->samples && view->counters.row_count > MOST)
        tp_object_add_text(
            object, "note",
            tp_text_printf(arena, "The charts show the first %d of %zu counters.", MOST, view->counters.row_count));
}

/* Returns whether the trace has samples of the power of a device. */
static bool has_power(const struct tp_counter_view *view)
{
    const struct tp_str *names = tp_table_text(&view->counters, TP_DEVICE_COUNTER_NAME);
    bool found = false;
    for (size_t row = 0; view->samples && row < view->counters.row_count && !found; row++)
        found = tp_str_starts(names[row], TP_POWER_COUNTER);
    return found;
}

/* What the steps of the view show. */
struct known_steps {
    bool has_energy, has_clock, has_low_clock;
};

static struct known_steps examine_steps(const struct tp_table *steps)
{
    struct known_steps known = {0};
    for (size_t row = 0; row < steps->row_count; row++) {
        int64_t low_ns = tp_table_int(steps, TP_COUNTER_STEP_LOW_CLOCK)[row];
        known.has_energy |= !isnan(tp_table_real(steps, TP_COUNTER_STEP_ENERGY)[row]);
        known.has_clock |= low_ns != TP_NULL_INT;
        known.has_low_clock |= low_ns > 0;
    }
    return known;
}

static void put_lead(const struct tp_section *section, struct tp_object *object, struct known_steps known)
{
    const struct tp_counter_view *view = &section->profile->views->counters;
    const char *count =
        tp_text_of_counted_noun(section->arena, (int64_t)view->counters.row_count, "counter", "counters");
    const char *clock =
        known.has_clock && !known.has_low_clock
            ? " While the devices work, all samples of their clocks are at least 95 % of the highest one."
            : "";
    if (!view->samples)
        tp_object_add_lead(object,
                           "The trace has only statistics of **%s** of the devices, so the energy and the clock of a "
                           "step are unknown.",
                           count);
    else if (!isnan(view->energy_per_step_j))
        tp_object_add_lead(object, "A step uses **%s%s**. The trace has samples of %s of the devices.%s",
                           view->energy_is_at_least ? "at least " : "",
                           tp_text_printf(section->arena, "%.4g J", view->energy_per_step_j), count, clock);
    else
        tp_object_add_lead(object, "The trace has samples of **%s** of the devices.%s%s", count,
                           has_power(view) ? " The samples of the power miss a part of the steps, so the energy of a "
                                             "step is unknown."
                                           : "",
                           clock);
}

/* Appends the table of steps. */
static void put_steps(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_table *steps = &section->profile->views->counters.steps;
    const int64_t *devices = tp_table_int(steps, TP_COUNTER_STEP_DEVICE);
    struct tp_shown_table *shown =
        tp_section_table_new(section, steps, STEP_COLUMNS, COUNT(STEP_COLUMNS), section->limits->operator_rows);
    shown->heading = steps->title;
    shown->name = "power and clocks";
    shown->noun = "steps";
    shown->name_title = "Step";
    shown->caption = "Energy and clock of the devices in each step";
    shown->foot = "all steps";
    tp_shown_table_set_row_names(&section->naming, shown, TP_COUNTER_STEP_NAME);
    for (size_t row = 0; devices[0] != devices[steps->row_count - 1] && row < shown->row_count; row++)
        shown->rows[row].name =
            tp_str_of(tp_text_printf(section->arena, "%.*s, %s", (int)shown->rows[row].name.len,
                                     shown->rows[row].name.ptr, tp_section_device_name(section, devices[row])));
    tp_list_add_shown_table(tables, shown);
}

struct tp_data tp_section_counters(const struct tp_section *section)
{
    const struct tp_counter_view *view = &section->profile->views->counters;
    if (!view->is_present || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    struct known_steps known = examine_steps(&view->steps);
    put_lead(section, object, known);
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->counters, COLUMNS, COUNT(COLUMNS), section->limits->operator_rows);
    shown->name = shown->noun = "counters";
    shown->name_title = "Counter";
    shown->caption = "Counters of the devices over the whole recording";
    for (size_t row = 0; row < shown->row_count; row++)
        shown->rows[row].name = tp_str_of(counter_title(section, row));
    struct tp_list *tables = tp_object_add_list(object, "tables");
    tp_list_add_shown_table(tables, shown);
    if (known.has_energy || known.has_low_clock)
        put_steps(section, tables);
    put_lines(section, object);
    return tp_data_of_object(object);
}
