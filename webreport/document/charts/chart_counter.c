/* Draws the value of a counter over time, such as the loss of a training. */
#include <math.h>
#include <stdio.h>

#include "webreport/document/charts/chart.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

enum { COLUMNS = 600, TOP = 6, HEIGHT = 100, POINT_BYTES = 24, LABEL_HEIGHT = 14 };
enum { LEFT_PERCENT = 14 }; /* the labels of the values stand left of the curve */

/* The last value in each column of pixels; NaN in columns without a value. */
struct drawing {
    double values[COLUMNS], low, high;
    int64_t first_ns, length_ns;
};

static void read_counter_values(struct drawing *drawing, const struct tp_counter_line *line)
{
    struct tp_counter_value item;
    for (size_t i = 0; i < COLUMNS; i++)
        drawing->values[i] = NAN;
    for (uint32_t cursor = 0; line->next(line->context, &cursor, &item);) {
        double at = (double)tp_sat_sub(item.ts_ns, drawing->first_ns) * (COLUMNS - 1) / (double)drawing->length_ns;
        drawing->values[at <= 0 ? 0 : at >= COLUMNS - 1 ? COLUMNS - 1 : (size_t)at] = item.value;
    }
}

/* Returns the y position of a value. A constant counter is drawn in the middle. */
static double value_height(const struct drawing *drawing, double value)
{
    double range = drawing->high - drawing->low;
    double y = range > 0 && isfinite(range) ? HEIGHT - HEIGHT * ((value - drawing->low) / range) : HEIGHT / 2.0;
    return TOP + (y < 0 ? 0 : y > HEIGHT ? HEIGHT : y);
}

/* Returns the x position of a column, in percent of the width. */
static double column_position(size_t column)
{
    return LEFT_PERCENT + (100.0 - LEFT_PERCENT) * (double)column / (COLUMNS - 1);
}

static struct tp_str svg_path(struct tp_arena *arena, const struct drawing *drawing)
{
    char *out = tp_arena_alloc(arena, COLUMNS * POINT_BYTES + 1), *at = out;
    for (size_t i = 0; i < COLUMNS; i++)
        if (isfinite(drawing->values[i]))
            at += snprintf(at, POINT_BYTES, "%c%.4g %.4g", at == out ? 'M' : 'L', 10 * column_position(i),
                           value_height(drawing, drawing->values[i]));
    return (struct tp_str){out, (size_t)(at - out)};
}

/* Marks single values with points, so that a counter with few values is visible. */
static void put_curve_points(struct tp_object *chart, struct tp_arena *arena, const struct drawing *drawing)
{
    enum { MOST = 60 };
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        count += isfinite(drawing->values[i]);
    struct tp_list *points = tp_object_add_list(chart, "points");
    for (size_t i = 0; i < COLUMNS && count <= MOST; i++) {
        if (!isfinite(drawing->values[i]))
            continue;
        struct tp_object *point = tp_list_add_object(points);
        tp_chart_put_percent(point, "x", column_position(i));
        tp_object_add_formatted(point, "y", "%.1f", value_height(drawing, drawing->values[i]));
        tp_object_add_text(point, "tip", tp_text_printf(arena, "%.6g", drawing->values[i]));
    }
}

static void put_value_tick(struct tp_list *ticks, struct tp_arena *arena, const struct drawing *drawing, double value)
{
    struct tp_object *tick = tp_list_add_object(ticks);
    double y = value_height(drawing, value);
    tp_object_add_formatted(tick, "y", "%.1f", y);
    /* keeps the highest label inside the drawing */
    tp_object_add_formatted(tick, "label_y", "%.1f", fmax(y, LABEL_HEIGHT));
    tp_object_add_text(tick, "label", tp_text_printf(arena, "%.4g", value));
}

void tp_chart_put_counter(struct tp_object *chart, struct tp_arena *arena, const struct tp_counter_line *line)
{
    struct drawing *drawing = tp_arena_alloc(arena, sizeof *drawing);
    int64_t length_ns = line->model->last_ns - line->model->first_ns;
    *drawing = (struct drawing){.low = line->low,
                                .high = line->high,
                                .first_ns = line->model->first_ns,
                                .length_ns = length_ns > 0 ? length_ns : 1};
    read_counter_values(drawing, line);
    tp_object_add_str(chart, "path", svg_path(arena, drawing));
    put_curve_points(chart, arena, drawing);
    struct tp_list *ticks = tp_object_add_list(chart, "ticks");
    put_value_tick(ticks, arena, drawing, drawing->high);
    if (drawing->low < drawing->high)
        put_value_tick(ticks, arena, drawing, drawing->low);
    tp_chart_put_percent(chart, "left", LEFT_PERCENT);
    tp_object_add_text(chart, "length", tp_text_of_time(arena, length_ns > 0 ? length_ns : 0));
}
