/* The ranges and counters of a program that records itself, summed by name (docs/definitions.md section 3). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_RANGE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_RANGE_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_range_column {
    TP_RANGE_NAME,
    TP_RANGE_KIND,     /* kind of the ranges, such as input or optimizer; null if unknown */
    TP_RANGE_CALLS,    /* number of ranges with time in the analysed steps */
    TP_RANGE_SELF,     /* time in the analysed steps, without nested ranges */
    TP_RANGE_TOTAL,    /* time in the analysed steps, including nested ranges */
    TP_RANGE_SHARE,    /* total as a percentage of the length of the analysed steps */
    TP_RANGE_PER_STEP, /* total divided by the number of analysed steps */
    TP_RANGE_COLUMNS
};

enum tp_counter_column {
    TP_COUNTER_NAME,
    TP_COUNTER_COUNT, /* number of numeric values; the next columns use only these values */
    TP_COUNTER_FIRST,
    TP_COUNTER_LAST,
    TP_COUNTER_MIN,
    TP_COUNTER_MAX,
    TP_COUNTER_COLUMNS
};

struct tp_range_view {
    bool is_present;          /* true if the program recorded itself with tracepress.h and has ranges or counters */
    struct tp_table ranges;   /* table of the ranges, sorted by total time (longest first), then by name */
    struct tp_table counters; /* table of the counters, sorted by name */
    uint32_t *counter_names;  /* for each row of `counters`: name id of the counter */
};

void tp_range_view_build(struct tp_range_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_range_view_fields;

#endif
