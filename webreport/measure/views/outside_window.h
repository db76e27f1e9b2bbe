/* The part of a recording outside of the window W: its length, and its main activity. The first screen shows it,
 * because no share and no finding covers it. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H

#include "webreport/model/facts.h"

struct tp_outside_part {
    int64_t recorded_ns; /* length of the recording, from the profiler's span or the first event to the last event */
    int64_t total_ns;    /* length outside of W; 0: W is the whole recording */
    int64_t before_ns, after_ns; /* lengths before the first used step and after the last one */
    bool is_named;               /* the part is long enough to show its main activity in `line` */
    bool is_device;              /* a device works for at least half of the part; `line` is its longest kernel */
    const char *kind; /* without is_device: kind of the main thread's longest fold; NULL if is_named is false */
    struct tp_str line;
    int64_t line_ns;
};

/* Measures the part outside of W. Finds its main activity if it is at least a tenth of the recording and 10 ms. */
void tp_outside_find(struct tp_outside_part *out, const struct tp_model *model, struct tp_arena *arena);

#endif
