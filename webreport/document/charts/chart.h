/* Geometry of the charts: converts numbers to percentages, pixels and path data. Templates and CSS define the look.
 *
 * Rules for robust charts: x and width are percentages; y and text are in pixels, so that text keeps its size.
 * Curves are in a nested viewBox. Colors are attributes for the light theme, which CSS classes override. All results
 * are in the given arena. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CHART_H

#include "webreport/document/data.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/memory/memory_view.h"
#include "webreport/measure/result/profile.h"
#include "webreport/measure/views/overview.h"
#include "webreport/measure/views/range_view.h"

/* Categories of time, in the order in which bars show them. */
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

/* Adds the members kind, fill (color in the light theme) and ink (color of text on it) to an object. */
void tp_chart_put_kind(struct tp_object *object, enum tp_chart_kind kind);

/* Adds the member `name`: a percentage with at most three decimals, such as "12.5%". */
void tp_chart_put_percent(struct tp_object *object, const char *name, double percent);

/* Returns the part of a name that fits into a box of a wide page, with an ellipsis if it is cut; "" without room for a
 * few letters. percent: width of the box, percent of the chart. */
struct tp_str tp_chart_label_of_box(struct tp_arena *arena, struct tp_str name, double percent);

/* A part of a 100 % bar. */
struct tp_chart_part {
    enum tp_chart_kind kind;
    const char *label, *definition; /* texts of the part; definition: NULL for none */
    double ns;
};

/* Adds the list `parts` of a bar. Parts of length 0 are omitted. Each item has x, w, kind, fill, ink, label, amount,
 * share, tip and is_wide. */
void tp_chart_put_split_bar(struct tp_object *object, struct tp_arena *arena, const struct tp_chart_part *parts,
                            size_t count);

/* Returns the distance between round axis ticks (0, step, 2 step ..) that reach at least `max`, which must be above
 * 0. Sets *top to the last tick. */
double tp_chart_tick_distance(double max, double *top);

/* Returns the distance between axis ticks for bytes, which is a whole number of units (KiB, MiB ..). Sets *top to the
 * last tick, which is at least `max`. max: above 0. */
double tp_chart_byte_tick_distance(double max, double *top);

/* Returns the stacked bars of at most `max_bars` steps, as an object with the members axis_unit, ticks, bars,
 * steps_note. */
struct tp_data tp_chart_steps(struct tp_arena *arena, const struct tp_profile *profile, size_t max_bars);

/* Returns the title of a category for people, such as "GPU kernels". The text is in `arena` or static. */
const char *tp_chart_label(enum tp_chart_kind kind, bool is_gpu, const struct tp_model *model, struct tp_arena *arena);
/* Returns the index of the category in tp_overview.average_us. */
unsigned tp_chart_average_index_of_kind(enum tp_chart_kind kind);

/* Data for the memory curve of a device. The curve has the device's points or, if it has no points, the running
 * sum of its memory records. */
struct tp_memory_curve {
    const struct tp_model *model;
    const struct tp_device_memory *device;
    /* first_ns: start of the curve. capacity_bytes: memory of the device; TP_NULL_INT if unknown */
    int64_t first_ns, capacity_bytes;
    const struct tp_table *steps; /* table of the steps in the overview */
};

/* Returns an object with the members bands, ticks, times, line, area, reserved, capacity_y, peak_x, peak_y and
 * others. Returns kind NONE without points. */
struct tp_data tp_chart_memory(struct tp_arena *arena, const struct tp_memory_curve *curve);

/* Returns the running sum of a device's memory records as points of a curve, for traces whose memory records have no
 * totals. */
struct tp_table tp_chart_running_memory(struct tp_arena *arena, const struct tp_model *model,
                                        const struct tp_device_memory *device, int64_t first_ns);

struct tp_counter_value {
    int64_t ts_ns;
    double value;
};

/* One of several curves of bytes that share their axes. Each value is valid up to the next point. */
struct tp_byte_curve {
    const char *label;     /* name of the curve in the legend */
    const double *at;      /* positions of the points on the horizontal axis, ascending */
    const uint64_t *bytes; /* values of the points */
    size_t count;          /* number of points; 0: the curve is not drawn */
};

enum { TP_MOST_BYTE_CURVES = 2 };

/* Curves of bytes that share their axes. */
struct tp_byte_curves {
    const struct tp_byte_curve *curves; /* at most TP_MOST_BYTE_CURVES */
    size_t count;
    double length;       /* length of the horizontal axis, which begins at 0; above 0 */
    const char *caption; /* description for screen readers */
    /* returns the label of a tick on the horizontal axis, in the arena */
    const char *(*tick_text)(struct tp_arena *arena, double at);
};

/* Returns an object with the members ticks, places, curves (path, class, color, label, peak) and curve_label. Returns
 * kind NONE if no curve has a value above 0. */
struct tp_data tp_chart_byte_curves(struct tp_arena *arena, const struct tp_byte_curves *curves);

/* A counter that is drawn over the time of the recording. */
struct tp_counter_line {
    const struct tp_model *model;
    double low, high; /* lowest and highest value */
    /* Fills the next value and advances *cursor, which is 0 for the first value. Returns false after the last value.
     * context: see below. */
    bool (*next)(const void *context, uint32_t *cursor, struct tp_counter_value *value);
    const void *context;
};

/* Adds the members path, points, ticks and length to `chart`. Draws only the last value in each column of pixels. */
void tp_chart_put_counter(struct tp_object *chart, struct tp_arena *arena, const struct tp_counter_line *line);

/* Returns at most max_boxes boxes of the idle flame, callers above callees, with the members kinds, height, boxes and
 * icicle_note; kind NONE without idle time. */
struct tp_section;
struct tp_data tp_chart_flame(const struct tp_section *section, const struct tp_idle_device *device, size_t max_boxes);

#endif
