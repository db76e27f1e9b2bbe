/* Arranges the merged stacks of one or two traces as the boxes of a flame graph, and draws the graph as SVG. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H
#define TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H

#include "webreport/measure/charts/folded_stacks.h"
#include "writer/base/buf.h"

/* A box of the graph. Box 0 represents the whole trace. */
struct tp_flame_frame {
    uint32_t name;       /* index in `names`, or TP_NO_ID for a box that represents several small callees */
    uint32_t depth;      /* row of the box; 0 for the whole trace */
    uint32_t merged;     /* number of small callees that the box represents; 0 for a box with a name */
    int64_t start;       /* start of the box on the x axis, in the unit of the metric */
    int64_t value, self; /* value: metric including callees; self: metric without callees */
    int64_t base_value;  /* value of the baseline including callees; 0 without a baseline */
};

struct tp_flame {
    const struct tp_folded_metric *metric;
    struct tp_strings names;
    struct tp_flame_frame *frames; /* boxes row by row, each row from left to right */
    uint32_t count, depth;         /* count: number of boxes; depth: number of rows */
    uint64_t path_count;           /* number of different stacks in the trace; narrow stacks share a box */
    bool has_baseline;
    int64_t base_value;         /* total value of the baseline, in the unit of the metric */
    int64_t removed_value;      /* part of `base_value` in calls that the trace does not have */
    int64_t largest_difference; /* largest absolute difference from the baseline, over all boxes except box 0 */
};

/* Arranges the boxes in `arena`, whose guard the caller sets. folded: stacks of the trace. baseline: stacks of another
 * trace with the same metric, or NULL. Callees narrower than a third of a pixel share a box. If there are more than
 * TP_MAX_FLAME_FRAMES boxes, wider callees also share a box. */
void tp_flame_build(struct tp_flame *flame, const struct tp_folded *folded, const struct tp_folded *baseline,
                    struct tp_arena *arena);

/* Draws the graph as an XML document. title: may contain any bytes. arena: for the texts of boxes, script and style.
 * After a failure, out->failed is set. */
void tp_flame_write_svg(struct tp_buf *out, const struct tp_flame *flame, struct tp_str title, struct tp_arena *arena);

#endif
