/* Draws several curves of bytes, such as the memory of two runs, with common axes. */
#include <math.h>
#include <stdio.h>

#include "webreport/document/charts/chart.h"
#include "writer/text/format.h"

enum { WIDTH = 1200, HEIGHT = 200, TOP = 16, POINT_BYTES = 32 };

/* The scales of both axes. */
struct scale {
    double length, top; /* values at the right end and at the upper end */
};

static double x_of(const struct scale *scale, double at)
{
    return fmin(WIDTH, fmax(0, WIDTH * at / scale->length));
}

static double y_of(const struct scale *scale, uint64_t bytes)
{
    return HEIGHT - HEIGHT * ((double)bytes / scale->top);
}

/* Returns the SVG path of a curve as horizontal and vertical moves. */
static struct tp_str svg_path(struct tp_arena *arena, const struct tp_byte_curve *curve, const struct scale *scale)
{
    char *out = tp_arena_alloc(arena, (curve->count + 1) * POINT_BYTES), *at = out;
    for (size_t i = 0; i < curve->count; i++) {
        double x = x_of(scale, curve->at[i]), y = y_of(scale, curve->bytes[i]);
        at += snprintf(at, POINT_BYTES, i ? "H%.4gV%.4g" : "M%.4g %.4g", x, y);
    }
    at += snprintf(at, POINT_BYTES, "H%.4g", x_of(scale, curve->at[curve->count - 1]));
    return (struct tp_str){out, (size_t)(at - out)};
}

/* Returns the index of the first largest value. */
static size_t find_peak(const struct tp_byte_curve *curve)
{
    size_t peak = 0;
    for (size_t i = 1; i < curve->count; i++)
        if (curve->bytes[i] > curve->bytes[peak])
            peak = i;
    return peak;
}

static void put_curve(struct tp_list *list, struct tp_arena *arena, const struct tp_byte_curve *curve,
                      const struct scale *scale, size_t index)
{
    static const struct {
        const char *class, *color;
    } looks[TP_MOST_BYTE_CURVES] = {{"runtime", "#CB8017"}, {"kernel", "#2160B8"}};
    struct tp_object *object = tp_list_add_object(list);
    size_t peak = find_peak(curve);
    double x = 100 * x_of(scale, curve->at[peak]) / WIDTH;
    tp_object_add_str(object, "path", svg_path(arena, curve, scale));
    tp_object_add_text(object, "class", looks[index].class);
    tp_object_add_text(object, "color", looks[index].color);
    tp_object_add_text(object, "label", curve->label);
    tp_object_add_text(object, "peak", tp_text_of_bytes(arena, (int64_t)curve->bytes[peak]));
    tp_chart_put_percent(object, "peak_x", x);
    tp_object_add_formatted(object, "peak_y", "%.1f", TOP + y_of(scale, curve->bytes[peak]));
}

static void put_axes(struct tp_object *chart, struct tp_arena *arena, const struct tp_byte_curves *curves,
                     const struct scale *scale, double tick)
{
    struct tp_list *ticks = tp_object_add_list(chart, "ticks"), *places = tp_object_add_list(chart, "places");
    double last, distance = tp_chart_tick_distance(curves->length / 2, &last);
    for (double at = 0; at <= scale->top * 1.0001; at += tick) {
        struct tp_object *object = tp_list_add_object(ticks);
        tp_object_add_formatted(object, "y", "%.1f", TOP + HEIGHT - HEIGHT * at / scale->top);
        tp_object_add_text(object, "label", at > 0 ? tp_text_of_bytes(arena, (int64_t)at) : "0");
    }
    for (double at = 0; at <= curves->length * 0.97; at += distance) {
        struct tp_object *object = tp_list_add_object(places);
        tp_chart_put_percent(object, "x", 100 * at / curves->length);
        tp_object_add_text(object, "anchor", at > 0 ? "middle" : "start");
        tp_object_add_text(object, "label", curves->tick_text(arena, at));
    }
}

struct tp_data tp_chart_byte_curves(struct tp_arena *arena, const struct tp_byte_curves *curves)
{
    struct tp_object *chart = tp_object_new(arena);
    struct scale scale = {.length = curves->length};
    uint64_t most = 0;
    for (size_t i = 0; i < curves->count; i++) {
        const struct tp_byte_curve *curve = &curves->curves[i];
        if (curve->count && curve->bytes[find_peak(curve)] > most)
            most = curve->bytes[find_peak(curve)];
    }
    if (!most)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    double tick = tp_chart_byte_tick_distance((double)most, &scale.top);
    put_axes(chart, arena, curves, &scale, tick);
    struct tp_list *list = tp_object_add_list(chart, "curves");
    for (size_t i = 0; i < curves->count; i++)
        if (curves->curves[i].count)
            put_curve(list, arena, &curves->curves[i], &scale, i);
    tp_object_add_text(chart, "curve_label", curves->caption);
    return tp_data_of_object(chart);
}
