/* Describes the part of a recording outside the analysed steps: its length and its main activity. The page shows this
 * part on the first screen, because shares and findings do not include it. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OUTSIDE_WINDOW_H

#include "webreport/model/facts.h"

struct tp_outside_part {
    /* length of the recording, ns: from the profiler's span or the first event to the last event */
    int64_t recorded_ns;
    int64_t total_ns; /* length of the part outside the analysed steps, ns; 0 if the analysed steps are the whole
                         recording */
    /* before_ns: length before the first analysed step, ns; after_ns: length after the last analysed step, ns */
    int64_t before_ns, after_ns;
    bool is_named; /* true if the part is long enough that `line` names its main activity */
    /* true if a device works for at least half of the part; `line` is then its longest kernel */
    bool is_device;
    /* kind of the stack line in which the main thread spends most of this time; NULL if is_named is false or is_device
     * is true */
    const char *kind;
    struct tp_str line;
    int64_t line_ns;
};

/* Measures the part of the recording outside the analysed steps. Finds the main activity of this part if its length is
 * at least 10 ms and a tenth of the recording. */
void tp_outside_part_find(struct tp_outside_part *out, const struct tp_model *model, struct tp_arena *arena);

#endif
