/* Geometry of the charts: converts numbers to percentages, pixels and path data. Templates and CSS define the look.
 *
 * Rules for robust charts: x and width are in percent; y and text are in pixels, so that text keeps its size. Curves
 * are in a nested viewBox. Colours are attributes of the light theme, which classes override. All results are in the
 * given arena. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H

#include "webreport/document/data.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/memory/memory_view.h"
#include "webreport/measure/result/profile.h"
#include "webreport/measure/views/overview.h"
#include "webreport/measure/views/range_view.h"

/* Categories of time, in the order of a bar. */
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

/* Puts the members kind, fill (colour of the light theme) and ink (colour of text on it) into an object. */
void tp_chart_put_kind(struct tp_object *object, enum tp_chart_kind kind);

/* Puts `name` as a percentage with at most three decimals, such as "12.5%". */
void tp_chart_put_percent(struct tp_object *object, const char *name, double percent);

/* A part of a 100 % bar. */
struct tp_chart_part {
    enum tp_chart_kind kind;
    const char *label, *definition; /* definition may be NULL */
    double ns;
};

/* Puts the list `parts` (x, w, kind, fill, ink, label, amount, share, tip, is_wide) of a bar, without parts of length
 * 0. */
void tp_chart_put_split(struct tp_object *object, struct tp_arena *arena, const struct tp_chart_part *parts,
                        size_t count);

/* Returns the distance of round ticks 0, step, 2 step .. up to at least `max`, which must be above 0. Sets *top to the
 * last tick. */
double tp_chart_tick(double max, double *top);

/* Returns the stacked bars of at most `max_bars` steps: members axis_unit, ticks, bars, steps_note. */
struct tp_data tp_chart_steps(struct tp_arena *arena, const struct tp_profile *profile, size_t max_bars);

/* Returns the title of a category for people, such as "GPU kernels", in `arena` or static. */
const char *tp_chart_label(enum tp_chart_kind kind, bool is_gpu, const struct tp_model *model, struct tp_arena *arena);
/* Returns the index of the category in tp_overview.average_us. */
unsigned tp_chart_average(enum tp_chart_kind kind);

/* The data for the curve of a device's memory: its points, or, if it has none, the running sum of its records. */
struct tp_memory_curve {
    const struct tp_model *model;
    const struct tp_device_memory *device;
    int64_t first_ns, capacity_bytes; /* capacity_bytes: TP_NULL_INT if unknown */
    const struct tp_table *steps;     /* table of steps in the overview */
};

/* Returns an object with the members bands, ticks, times, line, area, reserved, capacity_y, peak_x, peak_y and others;
 * kind NONE if there are no points. */
struct tp_data tp_chart_memory(struct tp_arena *arena, const struct tp_memory_curve *curve);

/* Returns the running sum of a device's records as curve points, for traces without totals. */
struct tp_table tp_chart_running_memory(struct tp_arena *arena, const struct tp_model *model,
                                        const struct tp_device_memory *device, int64_t first_ns);

/* A counter that is drawn over the time of the recording. row: number in the counters of the view. */
struct tp_counter_line {
    const struct tp_model *model;
    const struct tp_range_view *view;
    size_t row;
};

/* Puts the members path, points, ticks and length into `chart`. Draws the last value of each column of pixels. */
void tp_chart_put_counter(struct tp_object *chart, struct tp_arena *arena, const struct tp_counter_line *line);

/* Returns at most max_boxes boxes of the idle flame, callers above callees, with the members kinds, height, boxes and
 * icicle_note; kind NONE without idle time. */
struct tp_section;
struct tp_data tp_chart_flame(const struct tp_section *section, const struct tp_idle_device *device, size_t max_boxes);

#endif
