/* What the pictures of memory share: their frame and axes. Internal to memory_flow_*.c. */
#ifndef TP_WEBREPORT_EXPORT_MEMORY_FLOW_PARTS_H
#define TP_WEBREPORT_EXPORT_MEMORY_FLOW_PARTS_H

#include "webreport/export/memory_flow.h"

/* Pixels; a cell is a side of the raster's. */
enum {
    TP_FLOW_LEFT = 130,
    TP_FLOW_TOP = 74,
    TP_FLOW_PLOT_WIDTH = 1040,
    TP_FLOW_PLOT_HEIGHT = 640,
    TP_FLOW_RIGHT = 250,
    TP_FLOW_BOTTOM = 46,
    TP_FLOW_CELL = 2
};

/* A picture on its way. */
struct tp_flow_drawing {
    struct tp_buf *out;
    const struct tp_memory_flow *flow;
    const struct tp_flow_colours *colours;
    struct tp_arena *arena;
    double x_scale, y_scale; /* pixels per nanosecond, per byte of the picture */
    struct tp_flow_box *boxes;
    double least; /* area in pixels from which a block is drawn by itself */
};

/* Pixels from the left edge of the plot to a time. */
double tp_flow_x(const struct tp_flow_drawing *d, int64_t at_ns);
/* "1.2 ms" since the start of the picture; in the arena. */
const char *tp_flow_since_start(const struct tp_flow_drawing *d, int64_t at_ns);

void tp_flow_put_time_axis(const struct tp_flow_drawing *d);
/* The line of the highest total; nothing when there is none. of_what: what the total is a sum of, when the allocator
 * did not report it. */
void tp_flow_put_peak(const struct tp_flow_drawing *d, const char *of_what);
/* "Memory of GPU0: title", and the beginning of the line below, which the caller writes and ends. */
void tp_flow_put_title(const struct tp_flow_drawing *d, struct tp_str title);

/* Draws the total over time, of records without addresses (memory_flow_curve.c). */
void tp_flow_put_curve(const struct tp_flow_drawing *d, struct tp_str title);

#endif
