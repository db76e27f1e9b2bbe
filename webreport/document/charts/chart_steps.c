/* Draws a stacked bar for each step that shows the parts of its time. */
#include <math.h>

#include "webreport/document/charts/chart.h"
#include "writer/text/format.h"

enum { PLOT_TOP = 14, PLOT_HEIGHT = 150 };
static const double LEFT = 8; /* width of the axis labels, percent */

/* Returns the time of a category in a step. The columns in the table of steps have the order of the averages. */
static int64_t step_part_ns(const struct tp_overview *overview, size_t step, enum tp_chart_kind kind)
{
    return tp_table_int(&overview->steps, TP_STEP_KERNEL + tp_chart_average_index_of_kind(kind))[step];
}

/* Returns the tooltip of a step's bar, such as "Step 3, 1.72 ms, left out: warm-up". */
static const char *bar_tooltip(struct tp_arena *arena, const struct tp_overview *overview, size_t step)
{
    struct tp_str name = tp_table_text(&overview->steps, TP_STEP_NAME)[step];
    struct tp_str reason = tp_table_text(&overview->steps, TP_STEP_LEFT_OUT)[step];

    return tp_text_printf(arena, "Step %.*s, %s%s%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr,
                          tp_text_of_time(arena, tp_table_int(&overview->steps, TP_STEP_TOTAL)[step]),
                          reason.len ? ", left out: " : "", (int)reason.len, reason.len ? reason.ptr : "");
}

static void put_bar_segments(struct tp_object *bar, struct tp_arena *arena, const struct tp_profile *profile,
                             size_t step, const double geometry[3])
{
    const struct tp_overview *overview = &profile->views->overview;
    struct tp_list *list = tp_object_add_list(bar, "segments");
    double y = PLOT_TOP + PLOT_HEIGHT;
    bool is_gpu = !tp_str_equal(tp_str_of(overview->device_type), TP_STR("CPU"));
    const char *tip = bar_tooltip(arena, overview, step);

    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS; kind++) {
        int64_t ns = step_part_ns(overview, step, kind);
        double height = PLOT_HEIGHT * (double)ns / geometry[2];
        struct tp_object *box;

        if (ns <= 0)
            continue;
        tip = tp_text_printf(arena, "%s\n%s: %s", tip, tp_chart_label(kind, is_gpu, profile->model, arena),
                             tp_text_of_time(arena, ns));
        if (height < 0.15)
            continue;
        y -= height;
        box = tp_list_add_object(list);
        tp_chart_put_kind(box, kind);
        tp_object_add_formatted(box, "y", "%.2f", y);
        tp_object_add_formatted(box, "h", "%.2f", height);
    }
    tp_chart_put_percent(bar, "x", geometry[0]);
    tp_chart_put_percent(bar, "w", geometry[1]);
    tp_object_add_text(bar, "tip", tip);
    tp_object_add_formatted(bar, "ty", "%.1f", y - 5);
}

static void put_time_ticks(struct tp_object *chart, double top, double tick, const struct tp_unit *unit)
{
    struct tp_list *ticks = tp_object_add_list(chart, "ticks");

    for (double at = 0; at <= top * 1.0001; at += tick) {
        struct tp_object *object = tp_list_add_object(ticks);

        tp_object_add_formatted(object, "y", "%.1f", PLOT_TOP + PLOT_HEIGHT - PLOT_HEIGHT * at / top);
        tp_object_add_formatted(object, "label", "%.6g", at / unit->divisor);
    }
}

struct tp_data tp_chart_steps(struct tp_arena *arena, const struct tp_profile *profile, size_t max_bars)
{
    const struct tp_overview *overview = &profile->views->overview;
    const struct tp_table *steps = &overview->steps;
    size_t count = steps->row_count < max_bars ? steps->row_count : max_bars, every;
    struct tp_object *chart = tp_object_new(arena);
    struct tp_list *bars;
    int64_t max = 0;
    double top, tick, pitch;
    struct tp_unit unit;

    for (size_t i = 0; i < count; i++)
        if (tp_table_int(steps, TP_STEP_TOTAL)[i] > max)
            max = tp_table_int(steps, TP_STEP_TOTAL)[i];
    if (count < 2 || max <= 0)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    tick = tp_chart_tick_distance((double)max, &top);
    unit = tp_unit_for_time(max);
    unit.decimals = max >= 100 * (int64_t)unit.divisor ? 0 : 1;
    tp_object_add_text(chart, "axis_unit", unit.text);
    put_time_ticks(chart, top, tick, &unit);
    bars = tp_object_add_list(chart, "bars");
    pitch = (100 - LEFT) / (double)count;
    every = (count + 11) / 12;
    for (size_t i = 0; i < count; i++) {
        double x = LEFT + pitch * (double)i;
        struct tp_object *bar = tp_list_add_object(bars);
        struct tp_str name = tp_table_text(steps, TP_STEP_NAME)[i];

        tp_object_add_bool(bar, "is_left_out", !tp_table_bool(steps, TP_STEP_IS_USED)[i]);
        put_bar_segments(bar, arena, profile, i, (double[3]){x + pitch * 0.14, pitch * 0.72, top});
        tp_chart_put_percent(bar, "cx", x + pitch / 2);
        if (count <= 14)
            tp_object_add_text(
                bar, "total",
                tp_text_of_fixed(arena, (double)tp_table_int(steps, TP_STEP_TOTAL)[i] / unit.divisor, unit.decimals));
        if (i % every == 0)
            tp_object_add_text(bar, "step_label",
                               tp_text_printf(arena, count <= 8 ? "step %.*s" : "%.*s",
                                              (int)(name.len < 16 ? name.len : 16), name.ptr));
    }
    if (count < steps->row_count)
        tp_object_add_text(
            chart, "steps_note",
            tp_text_printf(arena, "The chart shows the first %zu of %zu steps.", count, steps->row_count));
    return tp_data_of_object(chart);
}
