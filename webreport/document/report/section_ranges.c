/* Makes the section of ranges: device time of annotations, and the host time and the counters of a program that records
 * them through tracepress.h. */
#include <math.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The columns of ranges. The table omits the first column if no range has a kind, and the last column if the program
 * has no steps. */
static const struct tp_shown_column RANGE_COLUMNS[] = {
    {TP_SHOW_OWN_TEXT, 0, "Kind", 0, 0, false, 0},          {TP_SHOW_COUNT, TP_RANGE_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_RANGE_SELF, NULL, 1, 0, false, 0},    {TP_SHOW_TIME, TP_RANGE_TOTAL, NULL, 1, 0, true, 0},
    {TP_SHOW_BAR, TP_RANGE_TOTAL, NULL, 0, 0, false, 0},    {TP_SHOW_PERCENT, TP_RANGE_SHARE, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_RANGE_PER_STEP, NULL, 0, 0, false, 0}};

static void put_lead_of_program(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_table *ranges = &section->profile->views->ranges.ranges;
    struct tp_arena *arena = section->arena;
    if (!ranges->row_count) {
        tp_object_add_lead(object, "The program recorded no ranges in the analysed steps.");
        return;
    }
    struct tp_str name = tp_shown_text(&section->naming, tp_table_text(ranges, TP_RANGE_NAME)[0]);
    tp_object_add_lead(object, "The range %s takes **%s** of %s, in %s.", tp_arena_copy(arena, name.ptr, name.len),
                       tp_text_of_percent(arena, tp_table_real(ranges, TP_RANGE_SHARE)[0]),
                       section->profile->model->step_marker == TP_MARKER_WINDOW ? "the recorded time" : "the step time",
                       tp_text_of_counted_noun(arena, tp_table_int(ranges, TP_RANGE_CALLS)[0], "call", "calls"));
}

static bool has_kinds(const struct tp_table *ranges)
{
    bool has_some = false;
    for (size_t row = 0; row < ranges->row_count; row++)
        has_some |= tp_table_text(ranges, TP_RANGE_KIND)[row].len > 0;
    return has_some;
}

static struct tp_shown_table *make_ranges_table(const struct tp_section *section, size_t max_rows)
{
    const struct tp_model *model = section->profile->model;
    const struct tp_table *ranges = &section->profile->views->ranges.ranges;
    unsigned first = !has_kinds(ranges);
    unsigned count = COUNT(RANGE_COLUMNS) - first - (model->step_marker == TP_MARKER_WINDOW);
    struct tp_shown_table *shown = tp_section_table_new(section, ranges, RANGE_COLUMNS + first, count, max_rows);
    if (!first) {
        struct tp_str *kinds = tp_arena_array(section->arena, shown->row_count, sizeof *kinds);
        for (size_t row = 0; row < shown->row_count; row++)
            kinds[row] = tp_table_text(ranges, TP_RANGE_KIND)[row];
        shown->own_texts[0] = kinds;
    }
    shown->heading = "Ranges";
    shown->name = shown->noun = "ranges";
    shown->name_title = "Range";
    shown->caption = "Ranges of the program, sorted by total time";
    tp_shown_table_set_row_names(&section->naming, shown, TP_RANGE_NAME);
    return shown;
}

/* ---- device time ---- */

static const struct tp_shown_column DEVICE_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_RANGE_TIME_CALLS, NULL, 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_RANGE_TIME_HOST, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_RANGE_TIME_HOST_SELF, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_RANGE_TIME_DEVICE, NULL, 1, 0, true, 0},
    {TP_SHOW_BAR, TP_RANGE_TIME_DEVICE, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_RANGE_TIME_BUSY, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_RANGE_TIME_SELF, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_RANGE_TIME_PERCENT, NULL, 0, 0, false, 0}};

/* Returns the rows of annotations. The section of modules shows the modules. */
static const struct tp_table *find_annotations(const struct tp_section *section)
{
    const struct tp_table *all = &section->profile->views->range_times.table;
    size_t *rows = tp_arena_array(section->arena, all->row_count, sizeof *rows), count = 0;
    for (size_t row = 0; row < all->row_count; row++)
        if (!tp_str_equal(tp_table_text(all, TP_RANGE_TIME_KIND)[row], TP_STR("module")))
            rows[count++] = row;
    return tp_table_copy_rows(section->arena, all, rows, count);
}

/* Names the range with the longest self time, because times of outer ranges include those of inner ranges. */
static void put_lead_of_device_time(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_table *rows = find_annotations(section);
    const int64_t *self = tp_table_int(rows, TP_RANGE_TIME_SELF);
    struct tp_arena *arena = section->arena;
    size_t most = 0;
    for (size_t row = 1; row < rows->row_count; row++)
        most = self[row] > self[most] ? row : most;
    struct tp_str name = tp_shown_text(&section->naming, tp_table_text(rows, TP_RANGE_TIME_NAME)[most]);
    int64_t all = section->profile->model->devices.time_ns;
    tp_object_add_lead(object, "%s: **%s** of the %s time, forward and backward, without inner ranges.",
                       tp_arena_copy(arena, name.ptr, name.len), tp_text_of_percent(arena, tp_percent(self[most], all)),
                       tp_devices_word(section->profile->model));
}

/* is_second: the section has another table before this one. */
static struct tp_shown_table *make_device_time_table(const struct tp_section *section, bool is_second)
{
    struct tp_shown_table *shown = tp_section_table_new(section, find_annotations(section), DEVICE_COLUMNS,
                                                        COUNT(DEVICE_COLUMNS), section->limits->operator_rows);
    shown->heading = is_second ? "Device time" : NULL;
    shown->name = "ranges with device time";
    shown->noun = "ranges";
    shown->name_title = "Range";
    shown->caption = "Ranges, sorted by device time, forward and backward";
    tp_shown_table_set_row_names(&section->naming, shown, TP_RANGE_TIME_NAME);
    return shown;
}

/* ---- counters ---- */

/* Returns the number of values of a counter, and the first and last value. */
static const char *values_text(const struct tp_section *section, size_t row)
{
    const struct tp_table *counters = &section->profile->views->ranges.counters;
    int64_t count = tp_table_int(counters, TP_COUNTER_COUNT)[row];
    double first = tp_table_real(counters, TP_COUNTER_FIRST)[row], last = tp_table_real(counters, TP_COUNTER_LAST)[row];
    const char *values = tp_text_of_counted_noun(section->arena, count, "value", "values");
    return count == 1 ? tp_text_printf(section->arena, "%s, %.6g", values, first)
                      : tp_text_printf(section->arena, "%s, first %.6g, last %.6g", values, first, last);
}

/* Finds the values of one counter of the program. */
struct counter_values {
    const struct tp_trace *trace;
    uint32_t name; /* name id of the counter */
};

static bool next_value(const void *context, uint32_t *cursor, struct tp_counter_value *value)
{
    const struct counter_values *values = context;
    while (*cursor < values->trace->counter_count) {
        const struct tp_counter *counter = &values->trace->counters[(*cursor)++];
        if (counter->name != values->name || !isfinite(counter->value))
            continue;
        *value = (struct tp_counter_value){counter->ts_ns, counter->value};
        return true;
    }
    return false;
}

static void put_counters(const struct tp_section *section, struct tp_object *object)
{
    enum { MOST = 12 };
    const struct tp_range_view *view = &section->profile->views->ranges;
    const struct tp_table *counters = &view->counters;
    struct tp_list *charts = tp_object_add_list(object, "charts");
    struct tp_arena *arena = section->arena;
    for (size_t row = 0; row < counters->row_count && row < MOST; row++) {
        const struct counter_values values = {section->profile->trace, view->counter_names[row]};
        const struct tp_counter_line line = {section->profile->model, tp_table_real(counters, TP_COUNTER_MIN)[row],
                                             tp_table_real(counters, TP_COUNTER_MAX)[row], next_value, &values};
        struct tp_object *chart = tp_list_add_object(charts);
        struct tp_str name = tp_shown_text(&section->naming, tp_table_text(counters, TP_COUNTER_NAME)[row]);
        tp_object_add_str(chart, "counter", name);
        tp_object_add_text(chart, "values", values_text(section, row));
        tp_object_add_text(chart, "chart_label",
                           tp_text_printf(arena, "%.*s over time, first value %.6g, last value %.6g", (int)name.len,
                                          name.ptr, tp_table_real(counters, TP_COUNTER_FIRST)[row],
                                          tp_table_real(counters, TP_COUNTER_LAST)[row]));
        tp_chart_put_counter(chart, arena, &line);
    }
    if (counters->row_count > MOST)
        tp_object_add_text(object, "note",
                           tp_text_printf(arena, "The charts show the first %d of %zu counters, sorted by name.", MOST,
                                          counters->row_count));
}

void tp_section_put_ranges(const struct tp_section *section, struct tp_document *document)
{
    enum { SHORT_ROWS = 8 };
    const struct tp_range_view *view = &section->profile->views->ranges;
    if (view->is_present && view->ranges.row_count)
        tp_document_add_table(document, make_ranges_table(section, SHORT_ROWS), NULL);
}

struct tp_data tp_section_ranges(const struct tp_section *section)
{
    const struct tp_range_view *view = &section->profile->views->ranges;
    bool has_device_time = section->profile->views->range_times.has_device_time;
    if ((!view->is_present && !has_device_time) || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    if (view->is_present)
        put_lead_of_program(section, object);
    else
        put_lead_of_device_time(section, object);
    struct tp_list *tables = tp_object_add_list(object, "tables");
    if (view->is_present && view->ranges.row_count) {
        struct tp_shown_table *shown = make_ranges_table(section, section->limits->operator_rows);
        shown->heading = NULL; /* equals the title of the section */
        tp_list_add_shown_table(tables, shown);
    }
    if (has_device_time)
        tp_list_add_shown_table(tables, make_device_time_table(section, view->is_present));
    tp_object_add_bool(object, "has_counters", view->is_present && view->counters.row_count > 0);
    if (view->is_present)
        put_counters(section, object);
    return tp_data_of_object(object);
}
