/* Computes the launch delays of a trace: the time from the end of a call to the start of its operation
 * (docs/definitions.md, section 40). */
#ifndef TP_WEBREPORT_MEASURE_STREAMS_LAUNCH_DELAYS_H
#define TP_WEBREPORT_MEASURE_STREAMS_LAUNCH_DELAYS_H

#include "webreport/measure/streams/queue_length.h"
#include "webreport/measure/streams/stream_operations.h"
#include "writer/base/table.h"

enum tp_delay_column {
    TP_DELAY_KIND, /* kernel, copy, memset or graph; the first row is "all" */
    TP_DELAY_OPERATIONS,
    TP_DELAY_P50,
    TP_DELAY_P90,
    TP_DELAY_P99,
    TP_DELAY_MAX,
    TP_DELAY_SHORT,
    TP_DELAY_COLUMNS
};

enum tp_delay_decade_column { TP_DECADE_FROM, TP_DECADE_OPERATIONS, TP_DECADE_COLUMNS };

struct tp_launch_delays {
    struct tp_table by_kind;     /* without rows if no launch is known */
    struct tp_table decades;     /* numbers of operations by the decade of their delay; without rows as above */
    struct tp_part_curve *curve; /* mean delay over time, ns; NULL if no launch is known */
};

/* Makes the tables in `arena`, whose guard the caller has set. list: operations of the model. */
void tp_launch_delays_build(struct tp_launch_delays *delays, const struct tp_stream_list *list,
                            const struct tp_model *model, struct tp_arena *arena);

#endif
