/* The table of ranges: host time and device time of annotations and modules by name, with the device time of their
 * backward pass (docs/definitions.md, section 34). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RANGE_TIMES_H
#define TP_WEBREPORT_MEASURE_VIEWS_RANGE_TIMES_H

#include "webreport/measure/views/range_table.h"

struct tp_range_times {
    struct tp_table table; /* rows sorted by device time (longest first), then by host time, name and kind */
    /* true if an annotation other than the steps of the profiler has device time; otherwise pages need no such table */
    bool has_device_time;
    int64_t outside_ns; /* time of the device operations that are in no self time, ns */
};

void tp_range_times_build(struct tp_range_times *view, const struct tp_model *model, struct tp_arena *arena);

#endif
