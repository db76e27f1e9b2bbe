/* Draws a device's memory over time: allocated and reserved bytes, capacity, the peak, and the steps in the background.
 * The view provides the points. For traces whose memory records have no totals, the curve is the running sum of the
 * records, which starts at zero. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/document/charts/chart.h"
#include "writer/text/format.h"

enum { COLUMNS = 600, SCALE = 1200 / COLUMNS, TOP = 16, HEIGHT = 200 };

/* ---- traces whose memory records have no totals ---- */

/* The running sum of a device's memory records. */
struct running {
    const struct tp_model *model;
    const struct tp_device_memory *device;
    int64_t first_ns;
    uint32_t next;        /* index of the next record in the order of time */
    int64_t at_ns, bytes; /* time (ns) and sum (bytes) at the current record */
};

static int64_t value_or_fallback(int64_t value, int64_t fallback)
{
    return value == TP_NULL_INT ? fallback : value;
}

static bool is_record_of_device(const struct tp_trace *trace, const struct tp_memory *record,
                                const struct tp_device_memory *device)
{
    const struct tp_memory_place *named = tp_memory_place(trace, record);
    return !(record->flags & TP_MEMORY_OUT_OF_MEMORY) && value_or_fallback(named->type, 0) == device->type &&
           value_or_fallback(named->id, -1) == device->id;
}

static bool next_record_of_running_sum(struct running *r)
{
    const struct tp_trace *trace = r->model->trace;
    while (r->next < trace->memory_count) {
        const struct tp_memory *record = &trace->memory[r->model->order->memory[r->next++]];
        if (!is_record_of_device(trace, record, r->device))
            continue;
        if (__builtin_add_overflow(r->bytes, record->bytes, &r->bytes))
            r->bytes = 0; /* after an overflow, any value is good enough, because only hostile files cause one */
        r->at_ns = record->ts_ns - r->first_ns;
        return true;
    }
    return false;
}

struct tp_table tp_chart_running_memory(struct tp_arena *arena, const struct tp_model *model,
                                        const struct tp_device_memory *device, int64_t first_ns)
{
    static const struct tp_column_def DEFS[] = {
        [TP_CURVE_TIME] = {"time_us", "Time", "us", "", TP_COLUMN_NS},
        [TP_CURVE_ALLOCATED] = {"allocated_bytes", "Allocated", "bytes", "", TP_COLUMN_BYTES},
        [TP_CURVE_RESERVED] = {"reserved_bytes", "Reserved", "bytes", "", TP_COLUMN_BYTES},
    };
    const struct running start = {.model = model, .device = device, .first_ns = first_ns};
    struct running r = start;
    struct tp_table points;
    size_t count = 0;

    while (next_record_of_running_sum(&r))
        count++;
    tp_table_init(&points, arena, "running", DEFS, TP_CURVE_COLUMNS, count);
    r = start;
    for (size_t i = 0; next_record_of_running_sum(&r); i++) {
        tp_table_int(&points, TP_CURVE_TIME)[i] = r.at_ns;
        tp_table_int(&points, TP_CURVE_ALLOCATED)[i] = r.bytes;
        tp_table_int(&points, TP_CURVE_RESERVED)[i] = TP_NULL_INT;
    }
    return points;
}

/* ---- drawing ---- */

/* The highest value in each column of pixels. */
struct series {
    int64_t allocated[COLUMNS], reserved[COLUMNS]; /* bytes in each column of pixels; TP_NULL_INT if unknown */
    int64_t duration_ns, peak, peak_at_ns, max;
    bool has_reserved;
};

static size_t column_at_time(const struct series *series, int64_t at_ns)
{
    double column = (double)at_ns * COLUMNS / (double)series->duration_ns;

    return column <= 0 ? 0 : column >= COLUMNS - 1 ? COLUMNS - 1 : (size_t)column;
}

static void raise_to_larger_value(int64_t *value, int64_t other)
{
    if (other > *value) /* the comparison is also correct for TP_NULL_INT, which is less than any value */
        *value = other;
}

/* State while points are drawn. Each point fills the columns since the previous point. */
struct pen {
    struct series *series;
    size_t column;
    int64_t allocated, reserved;
};

static void finish_columns_before(struct pen *pen, size_t column)
{
    while (pen->column < column) {
        pen->column++;
        raise_to_larger_value(&pen->series->allocated[pen->column], pen->allocated);
        raise_to_larger_value(&pen->series->reserved[pen->column], pen->reserved);
    }
}

static void draw_point(struct pen *pen, int64_t at_ns, int64_t allocated, int64_t reserved)
{
    struct series *series = pen->series;

    finish_columns_before(pen, column_at_time(series, at_ns));
    raise_to_larger_value(&series->allocated[pen->column], allocated);
    raise_to_larger_value(&series->reserved[pen->column], reserved);
    pen->allocated = allocated;
    pen->reserved = reserved;
    if (allocated > series->peak) {
        series->peak = allocated;
        series->peak_at_ns = at_ns;
    }
    series->has_reserved |= reserved > 0;
    raise_to_larger_value(&series->max, allocated);
    raise_to_larger_value(&series->max, reserved);
}

static struct series *make_empty_series(struct tp_arena *arena)
{
    struct series *series = tp_arena_alloc(arena, sizeof(*series));

    series->peak = series->max = TP_NULL_INT;
    for (size_t i = 0; i < COLUMNS; i++)
        series->allocated[i] = series->reserved[i] = TP_NULL_INT;
    return series;
}

static void draw_points_of_table(struct pen *pen, const struct tp_table *points)
{
    const int64_t *time = tp_table_int(points, TP_CURVE_TIME);

    for (size_t i = 0; i < points->row_count; i++)
        raise_to_larger_value(&pen->series->duration_ns, time[i]);
    for (size_t i = 0; i < points->row_count && pen->series->duration_ns > 0; i++)
        draw_point(pen, time[i], tp_table_int(points, TP_CURVE_ALLOCATED)[i],
                   tp_table_int(points, TP_CURVE_RESERVED)[i]);
}

/* Draws the running sum directly, because a table of it would have a row for each record. */
static void draw_running_sum(struct pen *pen, const struct tp_memory_curve *curve)
{
    const struct running start = {.model = curve->model, .device = curve->device, .first_ns = curve->first_ns};

    for (struct running r = start; next_record_of_running_sum(&r);)
        raise_to_larger_value(&pen->series->duration_ns, r.at_ns);
    for (struct running r = start; pen->series->duration_ns > 0 && next_record_of_running_sum(&r);)
        draw_point(pen, r.at_ns, r.bytes, TP_NULL_INT);
}

static struct series *make_series(struct tp_arena *arena, const struct tp_memory_curve *curve)
{
    struct pen pen = {.series = make_empty_series(arena), .allocated = TP_NULL_INT, .reserved = TP_NULL_INT};

    if (curve->device->curve.row_count)
        draw_points_of_table(&pen, &curve->device->curve);
    else
        draw_running_sum(&pen, curve);
    if (pen.series->duration_ns <= 0)
        return NULL;
    finish_columns_before(&pen, COLUMNS - 1);
    return pen.series;
}

/* Returns the SVG path of a curve as horizontal and vertical moves. Sets *first and *last to the first and last
 * column of the curve. */
static struct tp_str svg_path(struct tp_arena *arena, const int64_t *values, double top, size_t *first)
{
    char *out = tp_arena_alloc(arena, COLUMNS * 24 + 64), *at = out;
    double before = NAN;

    *first = COLUMNS;
    for (size_t i = 0; i < COLUMNS; i++) {
        double y;

        if (values[i] == TP_NULL_INT)
            continue;
        y = round((HEIGHT - HEIGHT * (double)values[i] / top) * 10) / 10;
        y = y < 0 ? 0 : y > HEIGHT ? HEIGHT : y;
        if (*first == COLUMNS) {
            *first = i;
            at += sprintf(at, "M%zu %.4g", i * SCALE, y);
        } else if (y != before) {
            at += sprintf(at, "H%zuV%.4g", i * SCALE, y);
        }
        before = y;
    }
    at += sprintf(at, "H%d", COLUMNS * SCALE);
    return (struct tp_str){out, (size_t)(at - out)};
}

static void put_step_bands(struct tp_object *chart, struct tp_arena *arena, const struct tp_memory_curve *curve,
                           const struct series *series)
{
    const struct tp_table *steps = curve->steps;
    struct tp_list *bands = tp_object_add_list(chart, "bands");
    size_t count = steps->row_count <= 60 ? steps->row_count : 0;

    for (size_t i = 0; i < count && count > 1; i++) {
        int64_t start = tp_table_int(steps, TP_STEP_HOST_START)[i], end = tp_table_int(steps, TP_STEP_HOST_END)[i];
        double from = 100 * ((double)start - (double)curve->first_ns) / (double)series->duration_ns;
        double to = 100 * ((double)end - (double)curve->first_ns) / (double)series->duration_ns;
        struct tp_str name = tp_table_text(steps, TP_STEP_NAME)[i];
        struct tp_object *band;

        from = fmax(from, 0);
        to = fmin(to, 100);
        if (!(to > from))
            continue;
        band = tp_list_add_object(bands);
        tp_chart_put_percent(band, "x", from);
        tp_chart_put_percent(band, "w", to - from);
        tp_chart_put_percent(band, "cx", (from + to) / 2);
        tp_object_add_bool(band, "is_odd", i % 2);
        tp_object_add_text(
            band, "label",
            to - from >= 6 ? tp_text_printf(arena, "step %.*s", (int)(name.len < 12 ? name.len : 12), name.ptr) : "");
    }
}

static void put_axes(struct tp_object *chart, struct tp_arena *arena, const struct series *series, double tick,
                     double top)
{
    struct tp_list *ticks = tp_object_add_list(chart, "ticks"), *times = tp_object_add_list(chart, "times");
    double time_top, time_tick = tp_chart_tick_distance((double)series->duration_ns / 2, &time_top);

    for (double at = 0; at <= top * 1.0001; at += tick) {
        struct tp_object *object = tp_list_add_object(ticks);

        tp_object_add_formatted(object, "y", "%.1f", TOP + HEIGHT - HEIGHT * at / top);
        tp_object_add_text(object, "label", at > 0 ? tp_text_of_bytes(arena, (int64_t)at) : "0");
    }
    for (double at = 0; at <= (double)series->duration_ns * 0.97; at += time_tick) {
        struct tp_object *object = tp_list_add_object(times);

        tp_chart_put_percent(object, "x", 100 * at / (double)series->duration_ns);
        tp_object_add_text(object, "anchor", at > 0 ? "middle" : "start");
        tp_object_add_text(object, "label", at > 0 ? tp_text_of_time(arena, (int64_t)at) : "0");
    }
}

static void put_peak(struct tp_object *chart, struct tp_arena *arena, const struct series *series, double top)
{
    double x = 100 * (double)series->peak_at_ns / (double)series->duration_ns;

    tp_chart_put_percent(chart, "peak_x", x);
    tp_object_add_formatted(chart, "peak_y", "%.1f", TOP + HEIGHT - HEIGHT * fmax((double)series->peak, 0) / top);
    tp_object_add_text(chart, "peak_dx", x > 70 ? "-10" : "10");
    tp_object_add_text(chart, "peak_anchor", x > 70 ? "end" : "start");
    tp_object_add_text(chart, "peak_label", tp_text_printf(arena, "peak %s", tp_text_of_bytes(arena, series->peak)));
}

struct tp_data tp_chart_memory(struct tp_arena *arena, const struct tp_memory_curve *curve)
{
    struct series *series = make_series(arena, curve);
    struct tp_object *chart = tp_object_new(arena);
    struct tp_str line;
    size_t first;
    double max, top, tick;
    bool near_capacity;

    if (!series || series->max <= 0)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    near_capacity = curve->capacity_bytes > 0 && (double)series->max > 0.4 * (double)curve->capacity_bytes;
    max = near_capacity ? fmax((double)curve->capacity_bytes, (double)series->max) : (double)series->max;
    tick = tp_chart_byte_tick_distance(max, &top);
    line = svg_path(arena, series->allocated, top, &first);
    tp_object_add_str(chart, "line", line);
    tp_object_add_text(chart, "area",
                       tp_text_printf(arena, "%.*sV%dH%zuZ", (int)line.len, line.ptr, HEIGHT, first * SCALE));
    if (series->has_reserved)
        tp_object_add_str(chart, "reserved", svg_path(arena, series->reserved, top, &first));
    if (near_capacity)
        tp_object_add_formatted(chart, "capacity_y", "%.1f", HEIGHT - HEIGHT * (double)curve->capacity_bytes / top);
    put_step_bands(chart, arena, curve, series);
    put_axes(chart, arena, series, tick, top);
    put_peak(chart, arena, series, top);
    tp_object_add_text(
        chart, "curve_label",
        tp_text_printf(arena, "Allocated memory over time, peak %s", tp_text_of_bytes(arena, series->peak)));
    return tp_data_of_object(chart);
}
