/* The part of a recording that is outside of the window W: its length, and what ran there. No share and no finding
 * covers it, so the first screen names it. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H

#include "webreport/model/facts.h"

struct tp_left_out_part {
    int64_t recorded_ns;         /* length of the recording, from the profiler's span or the first event to the last */
    int64_t total_ns;            /* length outside of W; 0: W is the whole recording */
    int64_t before_ns, after_ns; /* lengths before the first used step and after the last one */
    bool is_named;               /* the part is long enough to name what ran there */
    bool is_device;              /* a device worked for half of the part or more: `line` is its longest kernel */
    const char *kind;            /* otherwise the kind of the main thread's longest fold; NULL if not named */
    struct tp_str line;
    int64_t line_ns;
};

/* Measures the part outside of W. Finds what ran there if the part is at least a tenth of the recording and 10 ms. */
void tp_left_out_find(struct tp_left_out_part *out, const struct tp_model *model, struct tp_arena *arena);

#endif
