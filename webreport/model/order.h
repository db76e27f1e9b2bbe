/* Sorted lists of host events (by thread), device operations and memory records, as indexes in tp_trace.events.
 * Host events are in the order of the tree: by start; then calls of the runtime last; then longer ones first; then
 * Python frames and modules before annotations before operators; then by place in the file. So an event comes after all
 * events around it. Device operations and memory records are sorted by start, then by place in the file. */
#ifndef TP_WEBREPORT_MODEL_ORDER_H
#define TP_WEBREPORT_MODEL_ORDER_H

#include "webreport/trace/trace.h"

struct tp_order {
    uint32_t *host; /* operators, annotations, runtime calls, frames and modules, thread by thread */
    uint32_t host_count;
    uint32_t *thread_first; /* thread_count + 1 entries: thread t owns host[thread_first[t] .. thread_first[t + 1]) */
    uint32_t *device;       /* kernels, copies, sets */
    uint32_t device_count;
    uint32_t *memory; /* all records, indexes in tp_trace.memory */
};

/* Builds the orders in `arena`. */
void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts indexes of events by (start, end descending, place in the file); fast when they are nearly sorted. */
void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena);

/* Compares pids or tids, numbers before texts: <0, 0, >0. */
int tp_row_id_compare(const struct tp_row_id *x, const struct tp_row_id *y);

/* Compares threads by (pid, tid), numbers before texts: <0, 0, >0. */
int tp_thread_compare(const struct tp_thread *x, const struct tp_thread *y);

#endif
