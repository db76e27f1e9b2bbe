/* The order of everything: host events per thread and device operations, as index lists into tp_trace.events.
 *
 * Both orders are by (start, end descending, ordinal). Built once per trace; both the views and the advice walk them.
 */
#ifndef TP_WEBREPORT_MODEL_ORDER_H
#define TP_WEBREPORT_MODEL_ORDER_H

#include "webreport/trace/trace.h"

struct tp_order {
    uint32_t *host; /* operators, annotations, runtime calls, frames and modules (by kind or role), thread by thread */
    uint32_t host_count;
    uint32_t *thread_first; /* thread_count + 1 entries: thread t owns host[thread_first[t] .. thread_first[t + 1]) */
    uint32_t *device;       /* kernels, copies, sets */
    uint32_t device_count;
};

/* Builds both orders in `arena`. */
void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts indexes of events by (start, end descending, ordinal); fast when they are nearly sorted. */
void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena);

#endif
