/* Adds the streams to the section of idle time: the queue and the idle time of each stream, and the delays of launches.
 */
#include <math.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/table_page.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column STREAM_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_STREAM_OPERATIONS, NULL, 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_REAL, TP_STREAM_MEAN_QUEUE, NULL, 0, 1, false, 0},
    {TP_SHOW_COUNT, TP_STREAM_MAX_QUEUE, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_STREAM_NEAR_MAX, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_STREAM_IDLE_HOST, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_STREAM_IDLE_SHORT, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_STREAM_IDLE_OTHER, NULL, 1, 0, false, 0},
};
static const struct tp_shown_column DELAY_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_DELAY_OPERATIONS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_DELAY_P50, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_DELAY_P90, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_DELAY_P99, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_DELAY_MAX, NULL, 1, 0, false, 0},
    {TP_SHOW_COUNT, TP_DELAY_SHORT, NULL, 0, 0, false, TP_SHOWN_LESS},
};
static const struct tp_shown_column DECADE_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_DECADE_OPERATIONS, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_BAR, TP_DECADE_OPERATIONS, NULL, 0, 0, false, 0},
};

static const struct tp_stream_view *view_of(const struct tp_section *section)
{
    return &section->profile->views->streams;
}

/* Returns "GPU 0, stream 7"; "Stream 7" if the trace has one device. */
static const char *stream_title(const struct tp_section *section, size_t row)
{
    const struct tp_table *streams = &view_of(section)->streams;
    long long number = (long long)tp_table_int(streams, TP_STREAM_NUMBER)[row];
    if (section->profile->model->gpu_count == 1)
        return tp_text_printf(section->arena, "Stream %lld", number);
    int64_t device = tp_table_int(streams, TP_STREAM_DEVICE)[row];
    return tp_text_printf(section->arena, "%s, stream %lld", tp_section_device_name(section, device), number);
}

/* ---- tables ---- */

static void add_table_of_streams(const struct tp_section *section, struct tp_list *tables)
{
    struct tp_shown_table *shown = tp_section_table_new(section, &view_of(section)->streams, STREAM_COLUMNS,
                                                        COUNT(STREAM_COLUMNS), section->limits->line_rows);
    shown->heading = "Queue and idle time of each stream";
    shown->name = shown->noun = "streams";
    shown->name_title = "Stream";
    shown->caption = "Queue and idle time of each stream in the whole recording";
    for (size_t row = 0; row < shown->row_count; row++) {
        shown->rows[row].name = tp_str_of(stream_title(section, row));
        shown->rows[row].full =
            tp_stream_title(section->profile->model, tp_table_int(shown->table, TP_STREAM_DEVICE)[row],
                            tp_table_int(shown->table, TP_STREAM_NUMBER)[row], section->arena);
    }
    tp_list_add_shown_table(tables, shown);
}

static void add_table_of_delays(const struct tp_section *section, struct tp_list *tables)
{
    static const char *const NAMES[][2] = {{"all", "All operations"},
                                           {"kernel", "Kernels"},
                                           {"copy", "Copies"},
                                           {"memset", "Memsets"},
                                           {"graph", "Graphs"}};
    const struct tp_table *delays = &view_of(section)->delays.by_kind;
    struct tp_shown_table *shown = tp_section_table_new(section, delays, DELAY_COLUMNS, COUNT(DELAY_COLUMNS), SIZE_MAX);
    shown->heading = "Time from the launch to the start";
    shown->name = "launch delays";
    shown->noun = "kinds";
    shown->name_title = "Operations";
    shown->caption = "Time from the end of the host's call to the start of the operation";
    for (size_t row = 0; row < shown->row_count; row++)
        for (size_t i = 0; i < COUNT(NAMES); i++)
            if (tp_str_equal(tp_table_text(delays, TP_DELAY_KIND)[row], tp_str_of(NAMES[i][0])))
                shown->rows[row].name = tp_str_of(NAMES[i][1]);
    tp_list_add_shown_table(tables, shown);
}

static void add_table_of_decades(const struct tp_section *section, struct tp_list *tables)
{
    struct tp_shown_table *shown = tp_section_table_new(section, &view_of(section)->delays.decades, DECADE_COLUMNS,
                                                        COUNT(DECADE_COLUMNS), SIZE_MAX);
    shown->name = "launch delay decades";
    shown->noun = "rows";
    shown->name_title = "From launch to start";
    shown->caption = "Number of operations by the time from the launch to the start";
    const int64_t *counts = tp_table_int(shown->table, TP_DECADE_OPERATIONS);
    for (size_t row = 0; row < shown->row_count; row++)
        shown->rows[row].name = tp_str_of(tp_section_title_of_times(section, shown->table, TP_DECADE_FROM, row));
    while (!counts[shown->row_count - 1]) /* an earlier row has operations, because the trace has delays */
        shown->row_count--;
    tp_list_add_shown_table(tables, shown);
}

/* ---- curves ---- */

struct curve {
    const struct tp_part_curve *parts;
    double scale; /* factor from values of the parts to values of the chart */
};

static bool next_part(const void *context, uint32_t *cursor, struct tp_counter_value *value)
{
    const struct curve *curve = context;
    const struct tp_part_curve *parts = curve->parts;
    while (*cursor < TP_CURVE_PARTS) {
        uint32_t part = (*cursor)++;
        if (parts->weight[part] <= 0)
            continue;
        *value = (struct tp_counter_value){tp_sat_add(parts->first_ns, tp_sat_mul(parts->part_ns, part)),
                                           curve->scale * parts->sum[part] / parts->weight[part]};
        return true;
    }
    return false;
}

static void add_chart(const struct tp_section *section, struct tp_list *charts, const char *title,
                      const struct curve *curve)
{
    struct tp_counter_line line = {section->profile->model, 0, -INFINITY, next_part, curve};
    struct tp_counter_value value;
    for (uint32_t cursor = 0; next_part(curve, &cursor, &value);) {
        line.low = fmin(line.low, value.value);
        line.high = fmax(line.high, value.value);
    }
    if (!isfinite(line.high))
        return;
    struct tp_object *chart = tp_list_add_object(charts);
    tp_object_add_text(chart, "counter", title);
    tp_object_add_text(chart, "values", tp_text_printf(section->arena, "averages up to %.4g", line.high));
    tp_object_add_text(chart, "chart_label",
                       tp_text_printf(section->arena, "%s over time, from %.4g to %.4g", title, line.low, line.high));
    tp_chart_put_counter(chart, section->arena, &line);
}

static void add_charts(const struct tp_section *section, struct tp_list *charts)
{
    const struct tp_stream_view *view = view_of(section);
    const int64_t *changes = tp_table_int(&view->streams, TP_STREAM_CHANGES);
    enum { FEWEST_CHANGES = 20, LONG_NS = 1000000 }; /* curves of fewer changes show nothing */
    for (uint32_t i = 0; i < view->curve_count; i++)
        if (changes[view->curve_row[i]] >= FEWEST_CHANGES)
            add_chart(section, charts,
                      tp_text_printf(section->arena, "%s: operations in the queue",
                                     stream_title(section, view->curve_row[i])),
                      &(struct curve){view->curves[i], 1});
    bool is_long = tp_table_int(&view->delays.by_kind, TP_DELAY_P90)[0] > LONG_NS;
    if (charts->items.count)
        add_chart(section, charts, is_long ? "Launch to start, ms" : "Launch to start, \xc2\xb5s",
                  &(struct curve){view->delays.curve, is_long ? 1e-6 : 1e-3});
}

/* ---- sentences ---- */

/* Returns the sentence about the host, which is ahead of the device or late. */
static const char *host_sentence(const struct tp_section *section)
{
    enum { AHEAD_NS = 1000000, AHEAD_QUEUE = 10, LATE_NS = 10000 };
    const struct tp_stream_view *view = view_of(section);
    const struct tp_table *streams = &view->streams;
    struct tp_arena *arena = section->arena;
    uint32_t row = view->curve_row[0];
    double queue = tp_table_real(streams, TP_STREAM_MEAN_QUEUE)[row];
    int64_t delay_ns = tp_table_int(&view->delays.by_kind, TP_DELAY_P50)[0];
    int64_t host_ns = tp_table_int(streams, TP_STREAM_IDLE_HOST)[row];
    int64_t rest_ns =
        tp_sat_add(tp_table_int(streams, TP_STREAM_IDLE_SHORT)[row], tp_table_int(streams, TP_STREAM_IDLE_OTHER)[row]);
    const char *title = stream_title(section, row), *delay = tp_text_of_time(arena, delay_ns);
    if (delay_ns > AHEAD_NS && queue > AHEAD_QUEUE)
        return tp_text_printf(arena,
                              "The host is ahead: half of the operations start %s or more after their launch, and %.1f "
                              "operations wait in the queue on average (%s).",
                              delay, queue, title);
    if (delay_ns < LATE_NS && host_ns > rest_ns)
        return tp_text_printf(arena,
                              "The host is late: half of the operations start within %s of their launch, and for %s no "
                              "operation was launched (%s).",
                              delay, tp_text_of_time(arena, host_ns), title);
    return tp_text_printf(arena, "Half of the operations start within %s of their launch.", delay);
}

/* Returns the sentence about streams whose operations start before their launch; NULL if no stream has such
 * operations. */
static const char *clock_sentence(const struct tp_section *section)
{
    const struct tp_table *streams = &view_of(section)->streams;
    size_t count = 0, first = 0;
    for (size_t row = streams->row_count; row-- > 0;)
        if (tp_table_int(streams, TP_STREAM_CHANGES)[row] != TP_NULL_INT &&
            tp_table_int(streams, TP_STREAM_MIN_QUEUE)[row] < 0) {
            count++;
            first = row;
        }
    if (!count)
        return NULL;
    return tp_text_printf(section->arena,
                          "Operations of %s (%s%s) start before their launch, so the clocks of host and device differ.",
                          tp_text_of_counted_noun(section->arena, (int64_t)count, "stream", "streams"),
                          stream_title(section, first), count > 1 ? " and others" : "");
}

void tp_section_put_streams(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_stream_view *view = view_of(section);
    if (!view->is_present || !view->delays.by_kind.row_count || !section->limits->line_rows) {
        tp_object_add_bool(object, "streams", false);
        return;
    }
    struct tp_object *part = tp_object_add_object(object, "streams");
    const char *clocks = clock_sentence(section), *host = host_sentence(section);
    tp_object_add_text(part, "stream_lead", clocks ? tp_text_printf(section->arena, "%s %s", host, clocks) : host);
    struct tp_list *tables = tp_object_add_list(part, "stream_tables");
    add_table_of_streams(section, tables);
    add_table_of_delays(section, tables);
    add_table_of_decades(section, tables);
    add_charts(section, tp_object_add_list(part, "charts"));
}
