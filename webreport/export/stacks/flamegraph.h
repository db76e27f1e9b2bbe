/* A flame graph: merged stacks of one trace, or of two, laid out as boxes; and its drawing as SVG. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H
#define TP_WEBREPORT_EXPORT_STACKS_FLAMEGRAPH_H

#include "webreport/measure/charts/folded_stacks.h"
#include "writer/base/buf.h"

/* A box. Frame 0 is the whole trace. */
struct tp_flame_frame {
    uint32_t name;       /* in `names`; TP_NO_ID: callees too small for boxes of their own, together */
    uint32_t depth;      /* 0 for frame 0 */
    uint32_t merged;     /* how many callees, when they are together */
    int64_t start;       /* sum of what stands left of it in its row */
    int64_t value, self; /* with callees; alone */
    int64_t before;      /* value in the baseline; 0 without one */
};

struct tp_flame {
    const struct tp_folded_metric *metric;
    struct tp_strings names;
    struct tp_flame_frame *frames; /* row by row, left to right */
    uint32_t count, depth;         /* depth: rows */
    uint64_t path_count;           /* different stacks of the trace; some share a box */
    bool has_baseline;
    int64_t before;       /* all of the baseline */
    int64_t gone;         /* of the baseline: in functions that the trace does not call from there */
    int64_t largest_step; /* greatest difference to the baseline of a box that is not the whole trace */
};

/* Lays out the boxes in `arena` (guard set by the caller). folded: built from the trace; baseline: with the same metric
 * from another trace, or NULL. Callees that would be narrower than a third of a pixel share a box; so do larger ones
 * when there would be more than TP_MAX_FLAME_FRAMES boxes. */
void tp_flame_build(struct tp_flame *flame, const struct tp_folded *folded, const struct tp_folded *baseline,
                    struct tp_arena *arena);

/* Draws it: an XML document. title: any bytes. Failures stick to `out`. arena: for texts of the script and style. */
void tp_flame_svg(struct tp_buf *out, const struct tp_flame *flame, struct tp_str title, struct tp_arena *arena);

#endif
