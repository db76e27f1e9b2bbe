/* The table of ranges: host time and device time of annotations and modules by name, with the device time of their
 * backward pass (docs/definitions.md, section 34). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RANGE_TIMES_H
#define TP_WEBREPORT_MEASURE_VIEWS_RANGE_TIMES_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_range_time_column {
    TP_RANGE_TIME_NAME, /* name as recorded; "ProfilerStep*" for all steps of the profiler; "(rest)" for more names */
    TP_RANGE_TIME_KIND, /* "annotation", "module" or "graph annotation"; null for "(rest)" */
    TP_RANGE_TIME_CALLS,
    TP_RANGE_TIME_THREADS, /* number of threads with such a range; null for "(rest)" */
    TP_RANGE_TIME_HOST,
    TP_RANGE_TIME_FORWARD,
    TP_RANGE_TIME_BACKWARD,
    TP_RANGE_TIME_DEVICE,
    TP_RANGE_TIME_BUSY, /* null for "(rest)" */
    TP_RANGE_TIME_SELF,
    TP_RANGE_TIME_CAPTURED,
    TP_RANGE_TIME_OPERATIONS,
    TP_RANGE_TIME_PERCENT,
    TP_RANGE_TIME_HOST_PER_STEP,
    TP_RANGE_TIME_DEVICE_PER_STEP,
    TP_RANGE_TIME_COLUMNS
};

struct tp_range_times {
    struct tp_table table; /* rows sorted by device time (longest first), then by host time, name and kind */
    /* true if an annotation other than the steps of the profiler has device time; otherwise pages need no such table */
    bool has_device_time;
    int64_t outside_ns; /* time of the device operations that are in no self time, ns */
};

/* Definitions of the columns, which other tables of the rows also use. */
extern const struct tp_column_def tp_range_time_columns[TP_RANGE_TIME_COLUMNS];

void tp_range_times_build(struct tp_range_times *view, const struct tp_model *model, struct tp_arena *arena);

#endif
