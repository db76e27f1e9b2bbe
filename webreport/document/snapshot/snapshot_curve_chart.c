/* Draws the memory of a device over time: allocated bytes by category, active and reserved bytes, steps, the peak, and
 * moments at which the allocator failed or gave segments back. See snapshot_page.h.
 *
 * Each column of pixels shows its point with the most allocated bytes, so that the peak is visible. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/text/format.h"

enum {
    COLUMNS = 300,
    SCALE = 1200 / COLUMNS,
    TOP = 28,
    HEIGHT = 150,
    MOST_BANDS = 60,
    MOST_MARKS = 24,
    LABEL_PIXELS = 15,
    LETTER_PIXELS = 7
};

/* The chart while it is drawn. */
struct curve {
    const struct tp_snapshot_page *page;
    bool by_time;               /* x is the time; otherwise the index of the event */
    double from, to;            /* range of x: µs or indexes */
    double top;                 /* bytes at the upper end */
    uint32_t point_of[COLUMNS]; /* point that each column shows */
    struct tp_object *chart;
};

static double x_of(const struct curve *c, const struct tp_snapshot_moment *point)
{
    return c->by_time ? (double)point->time_us : (double)point->index;
}

static double percent_of_x(const struct curve *c, double x)
{
    double percent = 100 * (x - c->from) / (c->to - c->from);
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static double percent_of_event(const struct curve *c, int64_t index)
{
    const struct tp_snapshot_device *device = c->page->device;
    if (index < 0)
        return 0;
    return percent_of_x(c, c->by_time ? (double)device->replay.events[index].time_us : (double)index);
}

static void choose_points(struct curve *c)
{
    const struct tp_snapshot_device *device = c->page->device;
    bool is_set[COLUMNS] = {false};
    for (uint32_t i = 0; i < device->point_count; i++) {
        double percent = percent_of_x(c, x_of(c, &device->points[i]));
        unsigned column = (unsigned)(percent * COLUMNS / 100);
        column = column < COLUMNS ? column : COLUMNS - 1;
        if (!is_set[column] || device->points[i].allocated_bytes > device->points[c->point_of[column]].allocated_bytes)
            c->point_of[column] = i;
        is_set[column] = true;
    }
    for (unsigned i = 1; i < COLUMNS; i++)
        if (!is_set[i])
            c->point_of[i] = c->point_of[i - 1];
}

/* Returns a path of horizontal and vertical lines through the values of all columns. get: value of a point, bytes. */
static const char *path_of(const struct curve *c, double (*get)(const struct curve *c, uint32_t point, uint64_t which),
                           uint64_t which, bool is_area)
{
    char *out = tp_arena_alloc(c->page->arena, COLUMNS * 24 + 64), *at = out;
    double before = NAN;
    for (unsigned i = 0; i < COLUMNS; i++) {
        double y = round((HEIGHT - HEIGHT * get(c, c->point_of[i], which) / c->top) * 10) / 10;
        if (i == 0)
            at += sprintf(at, "M0 %.4g", y);
        else if (y != before)
            at += sprintf(at, "H%uV%.4g", i * SCALE, y);
        before = y;
    }
    at += sprintf(at, is_area ? "H%dV%dH0Z" : "H%d", COLUMNS * SCALE, HEIGHT);
    return out;
}

/* Returns the sum of the categories up to `which`. */
static double sum_up_to(const struct curve *c, uint32_t point, uint64_t which)
{
    double sum = 0;
    for (uint64_t i = 0; i <= which; i++)
        sum += (double)c->page->device->categories[i].bytes[point];
    return sum;
}

static double active_of(const struct curve *c, uint32_t point, uint64_t which)
{
    (void)which; /* one curve */
    return (double)c->page->device->points[point].active_bytes;
}

static double reserved_of(const struct curve *c, uint32_t point, uint64_t which)
{
    (void)which; /* one curve */
    return (double)c->page->device->points[point].reserved_bytes;
}

static double requested_of(const struct curve *c, uint32_t point, uint64_t which)
{
    (void)which; /* one curve */
    return (double)c->page->device->points[point].requested_bytes;
}

/* Adds the areas from the topmost to the lowest one, because each covers the lower part of the one before. */
static void put_areas(struct curve *c)
{
    const struct tp_snapshot_device *device = c->page->device;
    struct tp_list *areas = tp_object_add_list(c->chart, "areas"), *keys = tp_object_add_list(c->chart, "keys");
    for (uint64_t i = device->category_count; i-- > 0;) {
        struct tp_object *area = tp_list_add_object(areas);
        tp_object_add_text(area, "look", tp_look_name(tp_snapshot_category_look(device->categories[i].name)));
        tp_object_add_text(area, "path", path_of(c, sum_up_to, i, true));
    }
    for (uint64_t i = 0; i < device->category_count; i++) {
        struct tp_object *key = tp_list_add_object(keys);
        tp_object_add_text(key, "look", tp_look_name(tp_snapshot_category_look(device->categories[i].name)));
        tp_object_add_str(key, "label", tp_shown_text(&c->page->naming, device->categories[i].name));
    }
}

static void put_axes(struct curve *c, double tick)
{
    struct tp_arena *arena = c->page->arena;
    struct tp_list *ticks = tp_object_add_list(c->chart, "ticks"), *times = tp_object_add_list(c->chart, "times");
    double length = c->to - c->from, unit = c->by_time ? 1000 : 1, last;
    double step = tp_chart_tick_distance(length * unit / 2, &last) / unit;
    for (double at = 0; at <= c->top * 1.0001; at += tick) {
        struct tp_object *object = tp_list_add_object(ticks);
        tp_object_add_formatted(object, "y", "%.1f", TOP + HEIGHT - HEIGHT * at / c->top);
        tp_object_add_formatted(object, "label_y", "%.1f", TOP + HEIGHT - HEIGHT * at / c->top - LABEL_PIXELS);
        const char *label = at > 0 ? tp_text_of_bytes(arena, (int64_t)at) : "0";
        tp_object_add_text(object, "label", label);
        tp_object_add_int(object, "label_w", (int64_t)(strlen(label) * LETTER_PIXELS));
    }
    for (double at = 0; at <= length * 0.95; at += step) {
        struct tp_object *object = tp_list_add_object(times);
        tp_chart_put_percent(object, "x", 100 * at / length);
        tp_object_add_text(object, "anchor", at > 0 ? "middle" : "start");
        tp_object_add_text(object, "label",
                           at <= 0      ? c->by_time ? "0" : "first event"
                           : c->by_time ? tp_text_of_time(arena, (int64_t)(at * 1000))
                                        : tp_text_of_count(arena, (int64_t)at));
    }
}

/* ---- marks ---- */

static void put_bands(struct curve *c)
{
    const struct tp_snapshot_growth *growth = &c->page->device->growth;
    struct tp_list *bands = tp_object_add_list(c->chart, "bands");
    double from = 0;
    for (uint64_t i = 0; i < growth->boundary_count && growth->boundary_count <= MOST_BANDS; i++) {
        double to = percent_of_event(c, growth->boundaries[i].index);
        struct tp_str name = growth->boundaries[i].name;
        if (!(to > from))
            continue;
        struct tp_object *band = tp_list_add_object(bands);
        tp_chart_put_percent(band, "x", from);
        tp_chart_put_percent(band, "w", to - from);
        tp_chart_put_percent(band, "cx", (from + to) / 2);
        tp_object_add_bool(band, "is_odd", i % 2);
        struct tp_str shown = tp_shown_text(&c->page->naming, tp_text_shorten(c->page->arena, name, 20));
        tp_object_add_str(band, "label", to - from >= 12 ? shown : (struct tp_str){"", 0});
        from = to;
    }
}

/* Adds a vertical line with a tooltip. */
static void put_mark(struct curve *c, struct tp_list *marks, int64_t index, const char *look, const char *text)
{
    struct tp_object *mark = tp_list_add_object(marks);
    tp_chart_put_percent(mark, "x", percent_of_event(c, index));
    tp_object_add_text(mark, "look", look);
    tp_object_add_text(mark, "tip", text);
}

static void put_marks(struct curve *c)
{
    const struct tp_snapshot_device *device = c->page->device;
    struct tp_list *marks = tp_object_add_list(c->chart, "marks");
    static const char *const words[] = {"empty_cache gives back", "retry: the cache is emptied, which frees",
                                        "the allocator gives back"};
    for (uint64_t i = 0; i < device->churn.release_count && i < MOST_MARKS; i++) {
        const struct tp_snapshot_release *release = &device->churn.releases[i];
        put_mark(c, marks, release->index, tp_look_name(TP_LOOK_LAUNCH),
                 tp_text_printf(c->page->arena, "%s %s", words[release->kind],
                                tp_snapshot_page_bytes(c->page, release->bytes)));
    }
    for (uint64_t i = 0; i < device->oom_count && i < MOST_MARKS; i++)
        put_mark(c, marks, device->ooms[i].index, tp_look_name(TP_LOOK_HOST),
                 tp_text_printf(c->page->arena, "out of memory for %s",
                                tp_snapshot_page_bytes(c->page, device->ooms[i].requested_bytes)));
}

static void put_peak(struct curve *c)
{
    const struct tp_snapshot_peak *peak = &c->page->device->peak;
    bool has_time = c->by_time && peak->at.time_us != TP_NULL_INT;
    double x = has_time ? percent_of_x(c, (double)peak->at.time_us) : percent_of_event(c, peak->at.index);
    bool is_right = x > 60;
    tp_chart_put_percent(c->chart, "peak_x", x);
    tp_object_add_formatted(c->chart, "peak_y", "%.1f",
                            TOP + HEIGHT - HEIGHT * (double)peak->at.allocated_bytes / c->top);
    tp_object_add_formatted(c->chart, "peak_box_y", "%.1f",
                            TOP + HEIGHT - HEIGHT * (double)peak->at.allocated_bytes / c->top - LABEL_PIXELS / 2);
    tp_object_add_text(c->chart, "peak_box_x", is_right ? "-116" : "4");
    tp_object_add_text(c->chart, "peak_dx", is_right ? "-10" : "10");
    tp_object_add_text(c->chart, "peak_anchor", is_right ? "end" : "start");
    tp_object_add_formatted(c->chart, "peak_label", "peak %s",
                            tp_snapshot_page_bytes(c->page, peak->at.allocated_bytes));
}

/* Returns the distance between ticks of bytes, and sets *top to the last tick. */
static double byte_tick(double most, double *top)
{
    double unit = 1;
    while (unit * 1024 <= most)
        unit *= 1024;
    double tick = tp_chart_tick_distance(most / unit, top) * unit;
    *top *= unit;
    return tick;
}

void tp_snapshot_page_put_curve(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_device *device = page->device;
    struct curve c = {.page = page, .chart = tp_object_new(page->arena)};
    if (device->point_count < 2 || !device->peak_reserved.reserved_bytes)
        return;
    c.by_time = device->has_time && device->last_us > device->first_us;
    c.from = c.by_time ? (double)device->first_us : -1;
    c.to = c.by_time ? (double)device->last_us : (double)device->replay.event_count;
    double tick = byte_tick((double)device->peak_reserved.reserved_bytes, &c.top);
    choose_points(&c);
    put_bands(&c);
    put_areas(&c);
    put_axes(&c, tick);
    tp_object_add_bool(c.chart, "has_lines", page->result != NULL);
    tp_object_add_text(c.chart, "active", path_of(&c, active_of, 0, false));
    tp_object_add_text(c.chart, "reserved", path_of(&c, reserved_of, 0, false));
    tp_object_add_text(c.chart, "requested", path_of(&c, requested_of, 0, false));
    put_marks(&c);
    put_peak(&c);
    tp_object_add_formatted(c.chart, "curve_label", "Memory%s over %s, by category; peak %s",
                            page->result ? tp_text_printf(page->arena, " of GPU %lld", (long long)device->device) : "",
                            c.by_time ? "time" : "the events",
                            tp_snapshot_page_bytes(page, device->peak.at.allocated_bytes));
    tp_document_add_chart(page->document, "snapshot_curve", tp_data_of_object(c.chart), NULL);
}
