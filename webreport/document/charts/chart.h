/* Geometry of the charts: numbers become percentages, pixels and path data; what they look like is in templates and
 * CSS.
 *
 * Rules that made the charts robust: x and width in per cent, y and text in pixels (text never scales); curves in a
 * nested viewBox; colours as attributes of the light theme, overridden by classes. All results live in the arena given.
 */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H

#include "webreport/document/data.h"
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/memory/memory_view.h"
#include "webreport/measure/result/profile.h"
#include "webreport/measure/views/overview.h"
#include "webreport/measure/views/range_view.h"

/* Categories of time, in the order in which a bar shows them. */
enum tp_chart_kind {
    TP_CHART_KERNEL,
    TP_CHART_COMM,
    TP_CHART_MEMCPY,
    TP_CHART_MEMSET,
    TP_CHART_RUNTIME,
    TP_CHART_DATA,
    TP_CHART_CPU,
    TP_CHART_OTHER,
    TP_CHART_KINDS
};

/* Puts members kind, fill (colour of the light theme) and ink (of text on it) into an object. */
void tp_chart_put_kind(struct tp_object *object, enum tp_chart_kind kind);

/* Puts `name` as a percentage with at most three decimals: "12.5%". */
void tp_chart_put_percent(struct tp_object *object, const char *name, double percent);

/* One part of a 100 % bar. */
struct tp_chart_part {
    enum tp_chart_kind kind;
    const char *label, *definition; /* definition may be NULL */
    double ns;
};

/* Puts the list `parts` (x, w, kind, fill, ink, label, amount, share, tip, is_wide) of a bar; parts of no time are left
 * out. */
void tp_chart_put_split(struct tp_object *object, struct tp_arena *arena, const struct tp_chart_part *parts,
                        size_t count);

/* Round ticks 0, step, 2 step .. up to at least `max`: the distance, and the top in *top. max > 0. */
double tp_chart_tick(double max, double *top);

/* Stacked bars of the steps: members axis_unit, ticks, bars, steps_note. At most `max_bars` steps are drawn. */
struct tp_data tp_chart_steps(struct tp_arena *arena, const struct tp_profile *profile, size_t max_bars);

/* Returns the title of a category for people ("GPU kernels"), in `arena` or static. */
const char *tp_chart_label(enum tp_chart_kind kind, bool is_gpu, const struct tp_model *model, struct tp_arena *arena);
/* Returns the index of the category in tp_overview.average_us. */
unsigned tp_chart_average(enum tp_chart_kind kind);

/* Curve of a device's memory: its points; without any, the running sum of its records. */
struct tp_memory_curve {
    const struct tp_model *model;
    const struct tp_device_memory *device;
    int64_t first_ns, capacity_bytes; /* capacity: TP_NULL_INT when unknown */
    const struct tp_table *steps;     /* of the overview */
};

/* Members bands, ticks, times, line, area, reserved, capacity_y, peak_x, peak_y .. NONE without points. */
struct tp_data tp_chart_memory(struct tp_arena *arena, const struct tp_memory_curve *curve);

/* The running sum of a device's records as curve points, for traces that recorded no totals. */
struct tp_table tp_chart_running_memory(struct tp_arena *arena, const struct tp_model *model,
                                        const struct tp_device_memory *device, int64_t first_ns);

/* A counter to be drawn over the time of the recording; row: of the view's counters. */
struct tp_counter_line {
    const struct tp_model *model;
    const struct tp_range_view *view;
    size_t row;
};

/* Puts the members path, points, ticks and length into `chart`. Of the values in one column of pixels the last one is
 * drawn. */
void tp_chart_put_counter(struct tp_object *chart, struct tp_arena *arena, const struct tp_counter_line *line);

/* Boxes of the idle flame, callers above callees: kinds, height, boxes, icicle_note. NONE without idle time. At most
 * max_boxes. */
struct tp_section;
struct tp_data tp_chart_flame(const struct tp_section *section, const struct tp_idle_device *device, size_t max_boxes);

#endif
