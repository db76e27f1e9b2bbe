/* Lays the merged stacks of one or two traces out as the boxes of a flame graph, and draws it as SVG. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H
#define TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H

#include "webreport/measure/charts/folded_stacks.h"
#include "writer/base/buf.h"

/* A box. Frame 0 is the whole trace. */
struct tp_flame_frame {
    uint32_t name;       /* in `names`; TP_NO_ID: several callees that are too small for their own boxes */
    uint32_t depth;      /* 0 for frame 0 */
    uint32_t merged;     /* number of these callees; 0 for a box with a name */
    int64_t start;       /* sum of the values to its left in the row */
    int64_t value, self; /* with and without callees */
    int64_t before;      /* value in the baseline; 0 without one */
};

struct tp_flame {
    const struct tp_folded_metric *metric;
    struct tp_strings names;
    struct tp_flame_frame *frames; /* row by row, left to right */
    uint32_t count, depth;         /* depth: number of rows */
    uint64_t path_count;           /* different stacks of the trace; some share a box */
    bool has_baseline;
    int64_t before;       /* total of the baseline */
    int64_t gone;         /* part of the baseline in calls that the trace does not have */
    int64_t largest_step; /* greatest difference from the baseline of any box but frame 0 */
};

/* Lays out the boxes in `arena` (guard set by the caller). folded: stacks of the trace; baseline: stacks of another
 * trace by the same metric, or NULL. Callees narrower than a third of a pixel share a box; larger ones also do when
 * there would be more than TP_MAX_FLAME_FRAMES boxes. */
void tp_flame_build(struct tp_flame *flame, const struct tp_folded *folded, const struct tp_folded *baseline,
                    struct tp_arena *arena);

/* Draws the graph as an XML document. title: any bytes. Failures stick to `out`. arena: for texts of script and
 * style. */
void tp_flame_svg(struct tp_buf *out, const struct tp_flame *flame, struct tp_str title, struct tp_arena *arena);

#endif
