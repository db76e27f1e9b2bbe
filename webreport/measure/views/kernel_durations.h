/* Counts kernels by their duration, with the time of their calls on the host (docs/definitions.md, section 8). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_KERNEL_DURATIONS_H
#define TP_WEBREPORT_MEASURE_VIEWS_KERNEL_DURATIONS_H

#include "webreport/model/facts.h"
#include "writer/base/table.h"

enum tp_kernel_duration_column {
    TP_DURATION_FROM,
    TP_DURATION_KERNELS,
    TP_DURATION_TIME,
    TP_DURATION_CALLS,
    TP_DURATION_COLUMNS
};

/* Makes the table in `arena`, whose guard the caller has set. The table has no rows if the trace has no kernels. */
void tp_kernel_durations_build(struct tp_table *table, const struct tp_model *model, struct tp_arena *arena);

/* Sums of all rows of kernels shorter than a limit. Times in ns. */
struct tp_kernel_durations {
    int64_t kernel_count, time_ns, call_ns;
};

/* Sums the rows below limit_ns, which must be a value of the column TP_DURATION_FROM; INT64_MAX: sums all rows. */
struct tp_kernel_durations tp_kernel_durations_below(const struct tp_table *table, int64_t limit_ns);

#endif
