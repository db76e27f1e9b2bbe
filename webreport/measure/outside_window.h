/* The part of a recording that lies outside of W: how long it is, and what ran there. Shares and findings do not see it,
 * so the first screen has to name it. */
#ifndef TP_WEBREPORT_MEASURE_OUTSIDE_WINDOW_H
#define TP_WEBREPORT_MEASURE_OUTSIDE_WINDOW_H

#include "webreport/model/facts.h"

struct tp_left_out_part {
    int64_t recorded_ns;         /* from the begin of the profiler's span, or the first event, to the last event */
    int64_t total_ns;            /* of it outside of W; 0: W is all */
    int64_t before_ns, after_ns; /* of it before the first used step, and after the last */
    bool is_named;               /* it is large enough to name what ran there */
    bool is_device;              /* a device worked for half of it or more: `line` is its longest kernel */
    const char *kind;            /* else of the fold that the main thread was in for longest; NULL if not named */
    struct tp_str line;
    int64_t line_ns;
};

/* Measures what W leaves out. Asks what ran there only where it is a tenth of the recording and 10 ms. */
void tp_left_out_find(struct tp_left_out_part *out, const struct tp_model *model, struct tp_arena *arena);

#endif
